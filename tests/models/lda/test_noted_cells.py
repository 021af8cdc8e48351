"""Counts that a sweep on dense tables notes on its way, against counting afterwards."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import blocklda
from blocklda import _native
from blocklda.models.lda.opening import Opening
from blocklda.models.lda.state import State


def chain_of(n_topics: int, **parameters: object) -> blocklda.Chain:
    """Documents shorter and longer than there are topics, one empty, and cells above 64 tokens."""
    counts = np.random.default_rng(n_topics).poisson(1.5, size=(15, 8))
    counts[3] = 0
    counts[4] *= 90
    return blocklda.Chain(
        counts, n_topics, seed=n_topics, **{"sampler": "single-site", **parameters}
    )


def require_right_counts(state: State) -> None:
    known, counted = state.counted(), state.cells()
    for ours, theirs in zip(known.occupancy, counted.occupancy, strict=True):
        assert np.array_equal(ours, theirs)
    for ours, theirs in zip(known.topic_histograms, counted.topic_histograms, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("n_topics", [1, 3, 8, 20, 300])
def test_a_sweep_notes_what_counting_finds(n_topics):
    chain = chain_of(n_topics)
    for n_sweeps in (1, 3):
        chain.state.counted()
        chain.sweep(n_sweeps)
        assert chain.state.has_counts, "noted on the way"
        require_right_counts(chain.state)


def test_nothing_is_noted_before_anyone_asks():
    chain = chain_of(5)
    chain.sweep()
    assert not chain.state.has_counts


def test_topics_that_a_move_changes_after_the_sweep_are_counted_again():
    chain = chain_of(5, moves=("merge-split",))
    for _ in range(40):
        chain.state.counted()
        chain.sweep()
        require_right_counts(chain.state)


def test_an_opening_leaves_no_notes_to_the_sampler_that_follows():
    chain = chain_of(5, sampler="nested")
    chain.state.opening = Opening("single-site", 3)
    chain.state.counted()
    chain.sweep(4)
    require_right_counts(chain.state)


def test_a_sweep_that_is_taken_back_leaves_no_notes(monkeypatch):
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    chain = chain_of(5, moves=("merge-split",))
    before = chain.log_posterior()
    monkeypatch.setattr(_native, "merge_split", interrupted)
    with pytest.raises(KeyboardInterrupt):
        chain.sweep()
    assert chain.log_posterior() == before
    require_right_counts(chain.state)


def test_notes_tell_nothing_before_a_sweep():
    workspace = _native.DenseWorkspace()
    assert _native.noted_cells(workspace) is None
    state = chain_of(5).state
    arguments = (state.corpus.native, state.priors.native, state.topics)
    with state.rng.bit_generator.lock:
        generator = state.rng.bit_generator.capsule
        _native.single_site(*arguments, generator, 0, workspace, notes_cells=True)
    assert _native.noted_cells(workspace) is None


def test_a_workspace_serves_one_thread_at_a_time():
    """Several threads with one object: each call is refused, or right."""
    workspace, refused = _native.DenseWorkspace(), []

    def sweep(state: State) -> None:
        arguments = (state.corpus.native, state.priors.native, state.topics)
        for _ in range(20):
            try:
                with state.rng.bit_generator.lock:
                    generator = state.rng.bit_generator.capsule
                    _native.single_site(*arguments, generator, 5, workspace)
            except ValueError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=sweep, args=(chain_of(20).state,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(refused) <= {"the workspace is in use in another thread"}
    assert len(refused) < 60, "one thread at least got through"
