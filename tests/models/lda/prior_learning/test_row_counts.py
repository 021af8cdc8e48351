"""What is counted for the likelihood of priors, against the tables themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

import blocklda
from blocklda.models.lda.prior_learning.row_counts import (
    RowCounts,
    asymmetric_counts,
    doc_counts,
    word_counts,
)
from tests.models.lda.prior_learning.likelihood import log_likelihood


def random_chain(n_topics: int) -> blocklda.Chain:
    """Documents and words with many tokens, with few and with none."""
    counts = np.random.default_rng(n_topics).poisson(1.5, size=(15, 8))
    counts[:, 2] = 0
    counts[3] = 0
    counts[4] *= 9
    return blocklda.Chain(counts, n_topics, seed=n_topics)


def by_row_counts(counts: RowCounts, x: np.ndarray) -> float:
    """The same likelihood from what was counted."""
    A = counts.row_sum(x)
    factors = counts.above * np.log(x[counts.parameter] + counts.level)
    return factors.sum() + (gammaln(A) - gammaln(A + counts.totals)).sum()


@pytest.mark.parametrize("n_topics", [1, 2, 7, 12, 300])
def test_the_likelihood_of_alpha(n_topics):
    chain = random_chain(n_topics)
    n_dk = chain.doc_topic_counts()
    x = np.random.default_rng(1).uniform(0.01, 3, n_topics)
    assert by_row_counts(asymmetric_counts(chain.state, chain.state.cells()), x) == pytest.approx(
        log_likelihood(n_dk, x)
    )
    of_alpha = doc_counts(chain.state, chain.state.cells())
    assert by_row_counts(of_alpha, x[:1]) == pytest.approx(
        log_likelihood(n_dk, np.full(n_topics, x[0]))
    )


@pytest.mark.parametrize("n_topics", [1, 2, 7, 12, 300])
def test_the_likelihood_of_beta(n_topics):
    chain = random_chain(n_topics)
    of_beta = word_counts(chain.state, chain.state.cells())
    for beta in (0.01, 2.0):
        assert by_row_counts(of_beta, np.array([beta])) == pytest.approx(
            log_likelihood(chain.topic_word_counts(), np.full(8, beta))
        )


@pytest.mark.parametrize("n_topics", [1, 7, 300])
def test_documents_are_counted_by_what_they_hold_of_each_topic(n_topics):
    chain = random_chain(n_topics)
    topic, level, above = chain.state.cells().topic_histograms
    n_dk = chain.doc_topic_counts()
    for k in range(n_topics):
        expected = [int((n_dk[:, k] > i).sum()) for i in range(n_dk[:, k].max())]
        assert above[topic == k].tolist() == expected
        assert level[topic == k].tolist() == list(range(len(expected)))


def test_a_draw_counts_like_its_state():
    chain = random_chain(5)
    for ours, theirs in zip(
        chain.draw().cells().topic_histograms, chain.state.cells().topic_histograms, strict=True
    ):
        assert np.array_equal(ours, theirs)


def test_a_corpus_without_tokens_says_nothing():
    chain = blocklda.Chain(np.zeros((2, 3), dtype=int), 4)
    for counts in (
        asymmetric_counts(chain.state, chain.state.cells()),
        doc_counts(chain.state, chain.state.cells()),
        word_counts(chain.state, chain.state.cells()),
    ):
        assert len(counts.totals) == len(counts.above) == 0
