"""What holds after every sweep, whatever the sampler."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

import blocklda

COUNTS = np.array(
    [
        [3, 0, 1, 0, 2, 1],
        [0, 0, 0, 0, 0, 0],
        [1, 7, 0, 0, 0, 1],
        [0, 2, 2, 0, 1, 0],
        [5, 0, 0, 0, 0, 4],
    ]
)
ALPHA = np.array([0.3, 1.5, 0.05, 0.7])
BETA = np.random.default_rng(3).uniform(0.05, 1.0, size=(4, 6))


def make_chain(sampler: str, counts: np.ndarray = COUNTS, **settings: object) -> blocklda.Chain:
    given = {"alpha": ALPHA, "beta": BETA, "seed": 5, **settings}
    return blocklda.Chain(counts, 4, sampler=sampler, **given)


def log_q(chain: blocklda.Chain, alpha: np.ndarray, beta: np.ndarray) -> float:
    """The paper's log q from the dense counts n_dvk, every term written out."""
    corpus = chain.corpus
    docs = np.repeat(np.arange(corpus.n_docs), np.diff(corpus.doc_offsets))
    n_dvk = np.zeros((corpus.n_docs, corpus.n_words, chain.n_topics))
    n_dvk[docs, corpus.word_ids] = chain.block_counts().toarray()
    n_kv = n_dvk.sum(axis=0).T
    return float(
        gammaln(n_dvk.sum(axis=1) + alpha).sum()
        + gammaln(n_kv + beta).sum()
        - gammaln(n_kv.sum(axis=1) + beta.sum(axis=1)).sum()
    )


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_counts_agree_with_each_other_and_with_the_corpus(sampler):
    chain = make_chain(sampler)
    corpus = chain.corpus
    docs = np.repeat(np.arange(corpus.n_docs), np.diff(corpus.doc_offsets))
    for _ in range(5):
        chain.sweep()
        blocks = chain.block_counts().toarray()
        assert (blocks.sum(axis=1) == corpus.counts).all()
        entries = np.repeat(np.arange(corpus.n_entries), corpus.counts)
        again = np.zeros_like(blocks)
        np.add.at(again, (entries, chain.assignments()), 1)
        assert (again == blocks).all()
        n_dk = np.zeros((corpus.n_docs, 4), dtype=int)
        np.add.at(n_dk, docs, blocks)
        assert (chain.doc_topic_counts() == n_dk).all()
        n_vk = np.zeros((corpus.n_words, 4), dtype=int)
        np.add.at(n_vk, corpus.word_ids, blocks)
        assert (chain.topic_word_counts() == n_vk.T).all()


@pytest.mark.parametrize("alpha", [0.2, ALPHA], ids=["one alpha", "alpha per topic"])
@pytest.mark.parametrize("beta", [0.05, BETA], ids=["one beta", "beta per topic and word"])
def test_log_posterior_has_every_term(alpha, beta):
    chain = make_chain("nested", alpha=alpha, beta=beta)
    chain.sweep(3)
    expected = log_q(chain, np.broadcast_to(alpha, 4), np.broadcast_to(beta, (4, 6)))
    assert chain.log_posterior() == pytest.approx(expected, rel=1e-12)


def test_permuting_documents_and_words_leaves_the_log_posterior():
    chain = make_chain("single-site", beta=0.3)
    chain.sweep(3)
    rng = np.random.default_rng(0)
    docs, words = rng.permutation(5), rng.permutation(6)
    dense = np.zeros((*COUNTS.shape, 4), dtype=int)
    dense[np.nonzero(COUNTS)] = chain.block_counts().toarray()
    permuted = dense[docs][:, words]
    counts = permuted.sum(axis=2)
    rows = permuted[np.nonzero(counts)]
    topics = np.concatenate([np.repeat(np.arange(4), row) for row in rows])
    other = make_chain("single-site", counts, beta=0.3, init=topics)
    assert other.log_posterior() == pytest.approx(chain.log_posterior(), rel=1e-12)


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
@pytest.mark.parametrize("backend", ["native", "python"])
def test_a_corpus_without_tokens_is_swept_without_harm(sampler, backend):
    chain = blocklda.Chain(np.zeros((2, 3), dtype=int), 3, sampler=sampler, backend=backend)
    chain.sweep(2)
    assert chain.n_sweeps == 2
    assert chain.assignments().size == 0
    assert chain.doc_topic_counts().sum() == 0


def test_assignments_are_a_copy():
    chain = make_chain("nested")
    chain.assignments()[:] = 99
    assert chain.assignments().max() < 4
