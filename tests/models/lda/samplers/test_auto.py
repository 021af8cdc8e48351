"""What "auto" takes depends on K and on the size of the corpus, by a rule written down."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import blocklda
from blocklda.models.lda.samplers.auto import choose_sampler


def corpus_of(n_words: int, n_tokens: int, n_docs: int = 1) -> blocklda.Corpus:
    counts = scipy.sparse.csr_matrix(
        (np.array([n_tokens - 1, 1]), (np.array([0, 0]), np.array([0, n_words - 1]))),
        shape=(n_docs, n_words),
    )
    return blocklda.Corpus.from_matrix(counts)


@pytest.mark.parametrize(
    ("n_topics", "n_words", "n_tokens", "n_docs", "taken"),
    [
        (2, 10, 1_000, 1, "single-site"),
        (450, 100, 5_000, 100, "single-site"),
        (451, 100, 50_000, 1_000, "sparse-single-site"),
        (1_000, 100, 50_000, 1_001, "single-site"),
        (1_001, 100, 50_000, 1_001, "sparse-single-site"),
        (40, 1_001, 10_000, 1, "single-site"),
        (256, 2**18 + 1, 2**18 + 2, 1, "sparse-single-site"),
        (256, 2**18 + 1, 2**24, 1, "sparse-single-site"),
        (256, 2**18 + 1, 2**24 + 64, 1, "single-site"),
    ],
)
def test_auto_takes_dense_counts_where_they_are_small(n_topics, n_words, n_tokens, n_docs, taken):
    corpus = corpus_of(n_words, n_tokens, n_docs)
    assert choose_sampler("auto", n_topics, corpus) == taken
    assert choose_sampler("nested", n_topics, corpus) == "nested"


def test_a_chain_takes_it():
    corpus = corpus_of(10, 1_000)
    for n_topics in (2, 500):
        taken = choose_sampler("auto", n_topics, corpus)
        assert blocklda.Chain(corpus, n_topics, sampler="auto").sampler == taken
