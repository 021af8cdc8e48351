"""Topics are matched with their partners, whatever their order."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.results.alignment import match_topics, total_variation
from blocklda.support.errors import InputError


@settings(derandomize=True, deadline=None)
@given(order=st.permutations(range(7)), seed=st.integers(0, 2**32))
def test_a_shuffle_is_undone(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    reference = rng.dirichlet(np.full(12, 0.5), size=7)
    noisy = 0.999 * reference[order] + 0.001 * rng.dirichlet(np.ones(12), size=7)
    found = match_topics(noisy, reference)
    np.testing.assert_array_equal(np.array(order)[found], np.arange(7))


def test_no_other_permutation_is_closer() -> None:
    # Topics that have nothing to do with each other: taking the nearest one by one is not enough.
    rng = np.random.default_rng(0)
    greedy_was_worse = False
    for _ in range(50):
        phi, reference = rng.dirichlet(np.ones(4), size=(2, 4))
        costs = total_variation(reference, phi)

        def cost(order: tuple[int, ...], costs: np.ndarray = costs) -> float:
            return float(costs[np.arange(4), order].sum())

        best = min(map(cost, itertools.permutations(range(4))))
        assert cost(tuple(match_topics(phi, reference))) == pytest.approx(best, abs=1e-12)
        greedy_was_worse |= cost(_one_by_one(costs)) > best + 1e-6
    assert greedy_was_worse


def _one_by_one(costs: np.ndarray) -> tuple[int, ...]:
    order: list[int] = []
    for row in costs:
        order.append(min(set(range(len(costs))) - set(order), key=row.__getitem__))
    return tuple(order)


def test_total_variation_is_the_probability_to_be_moved() -> None:
    first = [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    second = [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    expected = [[0.25, 0.5, 1.0], [0.75, 1.0, 0.0]]
    np.testing.assert_allclose(total_variation(first, second), expected, rtol=1e-15)


HALVES = [[0.5, 0.5], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: match_topics(HALVES, HALVES[:1]), "phi has 2 topics and reference 1"),
        (lambda: match_topics([[0.5, 0.5, 0.0]], HALVES[:1]), "2 words and the other 3"),
        (lambda: match_topics([[3, 4], [5, 6]], HALVES), "row 0 of phi sums to 7"),
        (lambda: match_topics(HALVES, [[1.5, -0.5], [1, 0]]), r"reference\[0, 1\]=-0.5"),
        (lambda: match_topics([], []), r"phi has the shape \(0,\)"),
        (lambda: total_variation([["a", "b"]], HALVES), "first is a list"),
    ],
)
def test_what_is_no_set_of_topics_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
