"""When the tokens of an entry stand in random order, and are not shuffled once more."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda

COUNTS = np.array([[3, 1, 0], [0, 9, 2]])


def chain_of(sampler: str = "single-site", **options: object) -> blocklda.Chain:
    return blocklda.Chain(COUNTS, 3, 0.5, 0.5, sampler=sampler, seed=5, **options)


def test_topics_drawn_at_random_stand_in_random_order_and_given_ones_may_not() -> None:
    chain = chain_of()
    assert chain.state.is_in_random_order
    assert not chain_of(init=np.sort(chain.assignments())).state.is_in_random_order
    assert not chain_of(init="variational").state.is_in_random_order


@pytest.mark.parametrize("backend", ["native", "python"])
def test_single_tokens_keep_the_order_and_blocks_lose_it(backend: str) -> None:
    given = np.zeros(COUNTS.sum(), dtype=np.int32)
    chain = chain_of(init=given, backend=backend)
    chain.sweep(2)
    assert chain.state.is_in_random_order
    blocks = chain_of("nested", opening_sweeps=0, backend=backend)
    blocks.sweep()
    assert not blocks.state.is_in_random_order


def test_a_move_between_sweeps_loses_the_order() -> None:
    chain = chain_of(moves=("merge-split",))
    chain.sweep(3)
    assert not chain.state.is_in_random_order


@pytest.mark.parametrize("sampler", ["single-site", "nested"])
def test_a_chain_from_a_file_goes_on_as_if_it_had_never_stopped(sampler: str, tmp_path) -> None:
    chain = chain_of(sampler)
    chain.sweep(2)
    chain.save(tmp_path / "chain")
    resumed = blocklda.Chain.load(tmp_path / "chain", COUNTS)
    assert resumed.state.is_in_random_order == chain.state.is_in_random_order
    for each in (chain, resumed):
        each.sweep(3)
    np.testing.assert_array_equal(chain.assignments(), resumed.assignments())
