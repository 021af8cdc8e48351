"""How full the cells of the count tables are, against tables made by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

import blocklda
from blocklda import _native


def random_chain(n_topics: int, scale: int = 1, **priors: object) -> blocklda.Chain:
    """Documents and words with fewer and with more tokens than there are topics, and with none."""
    counts = scale * np.random.default_rng(n_topics).poisson(1.5, size=(15, 8))
    counts[:, 2] = 0
    counts[3] = 0
    counts[4] *= 9
    return blocklda.Chain(counts, n_topics, seed=n_topics, **priors)


def count_cells(chain: blocklda.Chain, topics: np.ndarray, n_topics: int) -> tuple:
    return _native.count_cells(chain.corpus.native, n_topics, topics)


@pytest.mark.parametrize(
    ("n_topics", "scale"),
    [(1, 1), (2, 1), (11, 1), (12, 1), (13, 1), (300, 1), (150, 30), (3, 200)],
)
def test_cells_are_counted_by_what_they_hold(n_topics, scale):
    """With 150 topics or more the words are counted one after another, with fewer all at once."""
    chain = random_chain(n_topics, scale)
    docs, words, topics, offsets, above = count_cells(chain, chain.assignments(), n_topics)
    tables = chain.doc_topic_counts(), chain.topic_word_counts()
    for cells, table in zip((docs, words), tables, strict=True):
        expected = np.bincount(table.ravel())
        expected[0] = 0
        assert np.array_equal(cells, expected)
    assert np.array_equal(topics, tables[1].sum(axis=1))
    for k in range(n_topics):
        n_d = tables[0][:, k]
        levels = [np.count_nonzero(n_d > i) for i in range(n_d.max())]
        assert above[offsets[k] : offsets[k + 1]].tolist() == levels


@pytest.mark.parametrize("n_topics", [2, 12, 300])
@pytest.mark.parametrize("alpha", [0.1, "vector"])
@pytest.mark.parametrize("beta", [0.01, 3.0, "matrix"])
def test_the_log_posterior_has_every_term(n_topics, alpha, beta):
    rng = np.random.default_rng(0)
    alpha = rng.uniform(0.1, 2, n_topics) if alpha == "vector" else alpha
    beta = rng.uniform(0.1, 2, (n_topics, 8)) if beta == "matrix" else beta
    chain = random_chain(n_topics, alpha=alpha, beta=beta)
    n_kv = chain.topic_word_counts()
    beta_kv = np.broadcast_to(beta, n_kv.shape)
    expected = (
        gammaln(chain.doc_topic_counts() + alpha).sum()
        + gammaln(n_kv + beta_kv).sum()
        - gammaln(n_kv.sum(axis=1) + beta_kv.sum(axis=1)).sum()
    )
    assert chain.log_posterior() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("wrong", [-1, 5])
def test_topics_outside_the_table_are_refused(wrong):
    chain = random_chain(5)
    topics = chain.assignments()
    topics[7] = wrong
    with pytest.raises(ValueError, match="topic out of range"):
        count_cells(chain, topics, 5)
