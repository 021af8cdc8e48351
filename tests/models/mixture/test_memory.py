"""A mixture keeps labels: tables of documents and components are made when they are asked for."""

from __future__ import annotations

import tracemalloc

import numpy as np
from scipy import sparse

import blocklda

N_DOCS, N_COMPONENTS, N_WORDS = 20_000, 300, 500
TABLE = 8 * N_DOCS * N_COMPONENTS
"""Bytes of one table of documents and components: 48 MB."""


def short_texts() -> sparse.csr_matrix:
    rng = np.random.default_rng(0)
    docs = np.repeat(np.arange(N_DOCS), 3)
    words = (docs % N_COMPONENTS + 7 * rng.integers(3, size=len(docs))) % N_WORDS
    return sparse.csr_matrix((np.ones(len(docs), dtype=np.int64), (docs, words)), (N_DOCS, N_WORDS))


def test_a_fit_of_many_short_texts_needs_no_table(tmp_path):
    corpus = blocklda.Corpus.from_matrix(short_texts())
    start = np.arange(N_DOCS) % N_COMPONENTS
    mixture = blocklda.DPMixture(
        N_COMPONENTS,
        init=start,
        n_sweeps=4,
        burn_in=0,
        thin=1,
        random_state=0,
        progress=False,
    )
    tracemalloc.start()
    mixture.fit(corpus)
    mixture.save(tmp_path / "model")
    loaded = blocklda.DPMixture.load(tmp_path / "model")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(loaded.labels_) == N_DOCS
    assert len(mixture.draws_) == 4
    assert peak < TABLE / 2
    table = loaded.doc_topic_
    assert table.shape == (N_DOCS, N_COMPONENTS)
    assert np.allclose(table.sum(axis=1), 1)
