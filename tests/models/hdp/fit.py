"""Whether states follow an exactly known law over partitions, and sticks have the right moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice

import numpy as np
from scipy import stats

from blocklda.models.hdp.state import State
from tests.exact.fit import REJECT, Verdict, _chi_square
from tests.models.hdp.problem import Key, Problem

Move = Callable[[State], object]
"""Something that moves a state and leaves the posterior as it is, or should."""

STAGES = (150, 300, 500, 1_000, 1_500, 2_500, 4_000)
"""Draws after which a mutant is looked at: most are caught soon."""


def judge_keys(problem: Problem, keys: list[Key]) -> float:
    """Return the p-value of partitions."""
    seen = Counter(keys)
    observed = np.array([seen.pop(key, 0) for key in problem.keys])
    if seen:
        raise AssertionError("a draw is no state of the problem: its tokens do not add up")
    return _chi_square(len(keys) * problem.probabilities, observed)


def judge_moments(values: np.ndarray, exact: np.ndarray) -> float:
    """Return the p-value of the means of τ_u, Σ τ_k² and K τ_u, times their number."""
    z = (values.mean(axis=0) - exact) / (values.std(axis=0) / np.sqrt(len(values)))
    return float(min(1.0, len(exact) * 2 * stats.norm.sf(np.abs(z).max())))


def stay_put(
    problem: Problem, move: Move, n_draws: int, seed: int, stages: tuple[int, ...] = ()
) -> Verdict:
    """Move exact draws of topics and sticks, and compare what they have become with the law.

    Sticks are looked at as the move leaves them: a global step would hide what is wrong with them.
    ``stages``: the numbers of draws after which to look, until the verdict is below REJECT.
    """
    keys: list[Key] = []
    sticks: list[tuple[float, float, float]] = []
    states = problem.exact_states(n_draws, seed)
    exact = problem.moments()
    p_keys = p_sticks = 1.0
    for n in stages or (n_draws,):
        for state in islice(states, n - len(keys)):
            move(state)
            state.free_empty_slots()
            keys.append(problem.key(state.positions()))
            n_topics = len(state.occupied)
            sticks.append((state.rest, float((state.tau**2).sum()), n_topics * state.rest))
        p_keys = judge_keys(problem, keys)
        p_sticks = judge_moments(np.array(sticks), exact)
        if 2 * min(p_keys, p_sticks) < REJECT:
            break
    report = f"{len(keys)} draws: partitions p = {p_keys:.3g}, moments of τ p = {p_sticks:.3g}"
    return Verdict(min(1.0, 2 * min(p_keys, p_sticks)), report)
