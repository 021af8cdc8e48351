"""A chain's tables always agree with each other and with the corpus."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import blocklda

BACKENDS = ("native", "python")


def lopsided_matrix() -> np.ndarray:
    """Blocks from 1 to 30 tokens, two empty documents and two unused words."""
    matrix = np.random.default_rng(1).poisson(0.7, size=(7, 9))
    matrix[[0, 4]] = 0
    matrix[:, [3, 8]] = 0
    matrix[2, 5], matrix[6, 0] = 30, 12
    return matrix


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
@pytest.mark.parametrize("max_block", [None, 5])
def test_counts_agree_after_every_sweep(max_block, sampler, backend):
    matrix = lopsided_matrix()
    chain = blocklda.Chain(matrix, 6, sampler=sampler, backend=backend, max_block=max_block, seed=2)
    for _ in range(4):
        chain.sweep()
        check_counts(chain, matrix)


def check_counts(chain: blocklda.Chain, matrix: np.ndarray) -> None:
    topics = chain.assignments()
    docs, words = np.nonzero(matrix)
    entries = np.repeat(np.arange(len(docs)), matrix[docs, words])
    block_counts = np.zeros((len(docs), chain.n_topics), dtype=int)
    np.add.at(block_counts, (entries, topics), 1)

    assert topics.dtype == np.int32
    assert len(topics) == matrix.sum()
    found = chain.block_counts()
    assert isinstance(found, sparse.csr_matrix)
    np.testing.assert_array_equal(found.toarray(), block_counts)
    np.testing.assert_array_equal(found.sum(axis=1).A1, matrix[docs, words])

    n_dk = np.zeros((matrix.shape[0], chain.n_topics), dtype=int)
    np.add.at(n_dk, docs, block_counts)
    np.testing.assert_array_equal(chain.doc_topic_counts(), n_dk)
    n_vk = np.zeros((matrix.shape[1], chain.n_topics), dtype=int)
    np.add.at(n_vk, words, block_counts)
    np.testing.assert_array_equal(chain.topic_word_counts(), n_vk.T)


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_what_a_chain_hands_out_is_a_copy(sampler):
    chain = blocklda.Chain([[3, 1]], 4, sampler=sampler, seed=1)
    before = chain.assignments().tolist()
    chain.assignments()[:] = 99
    chain.doc_topic_counts()[:] = 99
    chain.block_counts().data[:] = 99
    assert chain.assignments().tolist() == before


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
@pytest.mark.parametrize("shape", [(3, 4), (1, 1)])
def test_a_corpus_without_tokens_works(shape, sampler, backend):
    matrix = np.zeros(shape, dtype=int)
    chain = blocklda.Chain(matrix, 5, sampler=sampler, backend=backend)
    chain.sweep(2)
    assert chain.n_sweeps == 2
    assert chain.assignments().tolist() == []
    assert chain.block_counts().shape == (0, 5)
    assert chain.doc_topic_counts().tolist() == np.zeros((shape[0], 5)).tolist()
    assert chain.topic_word_counts().tolist() == np.zeros((5, shape[1])).tolist()
    assert np.isfinite(chain.log_posterior())


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_given_assignments_are_the_start(sampler):
    start = [1, 0, 2, 2]
    chain = blocklda.Chain([[3, 1]], 3, sampler=sampler, init=start)
    assert chain.assignments().tolist() == start
    chain.sweep(3)
    assert start == [1, 0, 2, 2]


def test_seeds_decide_the_draws():
    matrix = lopsided_matrix()

    def topics(seed: object) -> list[int]:
        chain = blocklda.Chain(matrix, 6, seed=seed)
        chain.sweep(2)
        return chain.assignments().tolist()

    assert topics(1) == topics(1)
    assert topics(np.random.SeedSequence(1)) == topics(1)
    assert topics(1) != topics(2)
    assert topics(None) != topics(None)


def test_random_starts_use_every_topic_alike():
    """Counts of 3,000 tokens in 3 topics: each within 5 standard deviations of a thousand."""
    counts = np.bincount(blocklda.Chain([[3000]], 3, seed=4).assignments(), minlength=3)
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(3000 * (1 / 3) * (2 / 3))


def test_a_chain_describes_itself():
    chain = blocklda.Chain([[3, 1]], 4, sampler="nested")
    chain.sweep(2)
    assert repr(chain) == "Chain(1 documents, 4 tokens, n_topics=4, sampler='nested', n_sweeps=2)"
    assert (chain.sampler, chain.backend, chain.n_topics, chain.n_sweeps) == (
        "nested",
        "native",
        4,
        2,
    )
