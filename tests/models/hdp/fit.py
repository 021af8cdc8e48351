"""The stay-put test of `blocklda.testing` as the suites of the HDP run it."""

from __future__ import annotations

from collections.abc import Callable

from blocklda.models.hdp.state import State
from blocklda.testing.hdp_problem import judge_moments
from blocklda.testing.invariance import moved_draws, until_rejected
from tests.exact.fit import Verdict
from tests.models.hdp.problem import Key, Problem

__all__ = ["STAGES", "Move", "judge_keys", "judge_moments", "stay_put"]

Move = Callable[[State], object]
"""Something that moves a state and leaves the posterior as it is, or should."""

STAGES = (150, 300, 500, 1_000, 1_500, 2_500, 4_000)
"""Draws after which a mutant is looked at: most are caught soon."""


def judge_keys(problem: Problem, keys: list[Key]) -> float:
    """Return the p-value of partitions."""
    return problem.judge_keys(keys)


def stay_put(
    problem: Problem, move: Move, n_draws: int, seed: int, stages: tuple[int, ...] = ()
) -> Verdict:
    """Move exact draws of topics and sticks, and compare what they have become with the law.

    Sticks are looked at as the move leaves them: a global step would hide what is wrong with them.
    ``stages``: the numbers of draws after which to look, until the verdict is below REJECT.
    """
    seen = moved_draws(problem, move, n_draws, seed)
    return until_rejected(problem, seen, stages or (n_draws,))
