"""The counts that `single-site` keeps between its sweeps: the same draws as from new counts."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import _native
from blocklda.models.lda.samplers.registry import find_sampler
from blocklda.models.lda.state import State, SweepOptions

COUNTS = np.random.default_rng(3).poisson(0.8, size=(12, 9))


def new_chain(**settings: object) -> blocklda.Chain:
    return blocklda.Chain(COUNTS, 5, sampler="single-site", seed=4, **settings)


def sweep(state: State, backend: str = "native") -> None:
    find_sampler("single-site").sweep(backend)(state, SweepOptions(), 1)


def test_sweeps_one_by_one_are_sweeps_at_once():
    at_once, one_by_one, without = (new_chain() for _ in range(3))
    at_once.sweep(20)
    for _ in range(20):
        one_by_one.sweep()
        without.state.workspace = None
        without.sweep()
    for other in (one_by_one, without):
        assert other.assignments().tolist() == at_once.assignments().tolist()


def test_the_workspace_stays_with_its_state():
    chain = new_chain()
    chain.sweep()
    kept = chain.state.workspace
    assert isinstance(kept, _native.DenseWorkspace)
    chain.sweep()
    assert chain.state.workspace is kept
    assert chain.state.copy().workspace is None


def test_topics_that_someone_changes_are_counted_again():
    state = new_chain().state
    for change in (
        lambda topics: topics[::-1].copy(),  # the same topics, in another order
        lambda topics: np.where(np.arange(len(topics)) == 7, (topics + 1) % 5, topics),
        np.zeros_like,
    ):
        sweep(state)
        state.topics[:] = change(state.topics)
        fresh = state.copy()
        assert fresh.workspace is None
        sweep(state)
        sweep(fresh)
        assert state.topics.tolist() == fresh.topics.tolist()


def test_a_workspace_serves_another_corpus_of_the_same_size():
    first, second = new_chain(), blocklda.Chain(COUNTS[::-1], 5, sampler="single-site", seed=4)
    alone = blocklda.Chain(COUNTS[::-1], 5, sampler="single-site", seed=4)
    first.sweep()
    second.state.workspace = first.state.workspace
    second.sweep(2)
    alone.sweep(2)
    assert second.assignments().tolist() == alone.assignments().tolist()


@pytest.mark.parametrize("n_tokens", [2**16 - 1, 2**16])
def test_words_with_as_many_tokens_as_16_bits_count_and_one_more(n_tokens):
    """All of them in one topic, so that a count that is too short would be wrong at once."""
    counts = np.array([[n_tokens - 40_000, 2, 0], [40_000, 0, 3]])
    ends = []
    for backend in ("native", "python"):
        chain = blocklda.Chain(
            counts,
            2,
            alpha=[50.0, 0.01],
            sampler="single-site",
            backend=backend,
            seed=6,
            init=np.zeros(counts.sum(), dtype=np.int32),
        )
        chain.sweep()
        ends.append(chain.assignments())
    assert np.array_equal(*ends)
