"""What "auto" takes depends on K and on the size of the corpus, by a rule written down."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import blocklda
from blocklda.models.lda.samplers.auto import choose_sampler


def corpus_of(n_words: int, n_tokens: int) -> blocklda.Corpus:
    counts = scipy.sparse.csr_matrix(
        (np.array([n_tokens - 1, 1]), (np.array([0, 0]), np.array([0, n_words - 1]))),
        shape=(1, n_words),
    )
    return blocklda.Corpus.from_matrix(counts)


@pytest.mark.parametrize(
    ("n_topics", "n_words", "n_tokens", "taken"),
    [
        (2, 10, 1_000, "single-site"),
        (200, 100, 5_000, "single-site"),
        (201, 100, 50_000, "sparse-single-site"),
        (40, 1_000, 10_000, "single-site"),
        (40, 1_001, 10_000, "sparse-single-site"),
    ],
)
def test_auto_takes_dense_counts_where_they_are_small(n_topics, n_words, n_tokens, taken):
    corpus = corpus_of(n_words, n_tokens)
    assert choose_sampler("auto", n_topics, corpus) == taken
    assert choose_sampler("nested", n_topics, corpus) == "nested"
    assert blocklda.Chain(corpus, n_topics, sampler="auto").sampler == taken
