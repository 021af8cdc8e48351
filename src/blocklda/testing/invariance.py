"""Two tests against listed states: one-step invariance, and enumeration along a long chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from blocklda.support.arrays import Floats
from blocklda.testing.base import Enumerated, Sweep
from blocklda.testing.verdict import REJECT, Verdict

__all__ = ["independent_thin", "long_chain", "moved_draws", "one_step", "until_rejected"]

PILOT = 400
"""Draws from which the autocorrelation is estimated: its standard error is 0.05."""

LARGEST_CORRELATION = 0.12
"""Estimated correlations of the pilot below this are noise. The thinning is doubled then."""

LARGEST_THIN = 1_024
"""A chain that needs more sweeps than this between draws is too slow for the test."""


def moved_draws(
    problem: Enumerated, move: Callable[[Any], object], n_draws: int, seed: Any
) -> Iterator[Any]:
    """Yield what exact draws have become, each moved by itself."""
    for state in problem.exact_states(n_draws, seed):
        move(state)
        yield problem.observe(state)


def one_step(
    problem: Enumerated, sweep: Sweep, n_draws: int, seed: Any, n_sweeps: int = 1
) -> Verdict:
    """Test that exact draws from the posterior keep their distribution after ``n_sweeps`` sweeps.

    Mixing plays no part in this: a sampler passes however slowly it moves, and a wrong one fails
    even if it would need very long to drift away.

    Examples
    --------
    >>> from blocklda import testing
    >>> problem = testing.LDAProblem(((0, 4), (1, 0)), n_topics=2, alpha=(0.8, 0.4), beta=0.3)
    >>> nested = testing.find_subjects("nested")[0]
    >>> testing.one_step(problem, nested.sweep, n_draws=500, seed=1).p_value > testing.ACCEPT
    True
    """

    def move(state: Any) -> None:
        sweep(state, problem.options, n_sweeps)

    return problem.judge(list(moved_draws(problem, move, n_draws, seed)))


def until_rejected(problem: Enumerated, seen: Iterator[Any], stages: Sequence[int]) -> Verdict:
    """Return the verdict on as many draws as it takes to fall below REJECT, or the smallest.

    Looks at REJECT multiply the chance that a right sampler is rejected by their number; it stays
    far below ACCEPT.
    """
    drawn: list[Any] = []
    worst = Verdict(1.0, "no draws")
    for n_draws in stages:
        drawn += islice(seen, n_draws - len(drawn))
        found = problem.judge(drawn)
        worst = min(worst, found, key=lambda verdict: verdict.p_value)
        if worst.p_value < REJECT:
            break
    return worst


def long_chain(
    problem: Enumerated, sweep: Sweep, n_draws: int, seed: Any, thin: int | None = None
) -> Verdict:
    """Test that one long chain visits every state as often as it should.

    ``thin`` is the number of sweeps between draws; None finds one that makes them independent.

    Examples
    --------
    >>> from blocklda import testing
    >>> problem = testing.LDAProblem(((0, 4), (1, 0)), n_topics=2, alpha=(0.8, 0.4), beta=0.3)
    >>> nested = testing.find_subjects("nested")[0]
    >>> testing.long_chain(problem, nested.sweep, n_draws=500, seed=1).p_value > testing.ACCEPT
    True
    """
    state = next(iter(problem.exact_states(1, seed)))
    if thin is None:
        thin = independent_thin(problem, sweep, state)
    if thin > LARGEST_THIN:
        return Verdict(0.0, f"the chain has not left its state after {LARGEST_THIN} sweeps")
    found = problem.judge(_chain(problem, sweep, state, n_draws, thin))
    return Verdict(found.p_value, f"{thin} sweeps between draws; {found.report}")


def independent_thin(problem: Enumerated, sweep: Sweep, state: Any) -> int:
    """Return how many sweeps make the next draw nearly independent; more than LARGEST_THIN if none.

    A pilot at each power of two, until lag-1 autocorrelations of the most frequent states are
    small.
    """
    thin = 1
    while thin <= LARGEST_THIN:
        places = problem.positions(_chain(problem, sweep, state, PILOT, thin))
        if _lag_one(places) < LARGEST_CORRELATION:
            return 2 * thin
        thin *= 2
    return 2 * LARGEST_THIN


def _chain(problem: Enumerated, sweep: Sweep, state: Any, n_draws: int, thin: int) -> list[Any]:
    seen = []
    for _ in range(n_draws):
        sweep(state, problem.options, thin)
        state.n_sweeps += thin
        state.forget_derived()
        seen.append(problem.observe(state))
    return seen


def _lag_one(places: np.ndarray) -> float:
    """Return the largest lag-1 autocorrelation of being in one of the six most frequent states."""
    states, counts = np.unique(places, return_counts=True)
    frequent = states[np.argsort(-counts)[:6]]
    if len(states) == 1:
        return 0.0
    return float(max(_correlation((places == i).astype(float)) for i in frequent))


def _correlation(series: Floats) -> float:
    centred = series - series.mean()
    return float(abs(centred[1:] @ centred[:-1]) / (centred @ centred))
