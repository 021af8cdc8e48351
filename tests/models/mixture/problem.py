"""The problems of mixtures of `blocklda.testing`, and their stay-put test as the suites run it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from blocklda.models.mixture.state import State, SweepOptions
from blocklda.testing.invariance import moved_draws, until_rejected
from blocklda.testing.mixture_problem import MixtureProblem as Problem

__all__ = ["DocumentSweep", "Problem", "advanced", "smallest_p_value"]

DocumentSweep = Callable[[State, SweepOptions], int]

STAGES = (150, 300, 600, 1_000, 1_500, 3_000, 6_000)
"""Draws after which a mutant is looked at: the twin is slow, and most are caught soon."""


def advanced(
    problem: Problem, sweep: DocumentSweep, seed: int, max_block: int = 16, n_sweeps: int = 1
) -> Iterator[tuple[int, ...]]:
    """Yield what exact draws have become after some sweeps, each by itself."""
    moved = replace(problem, options=SweepOptions(max_block=max_block))

    def move(state: State) -> None:
        for _ in range(n_sweeps):
            sweep(state, moved.options)

    return moved_draws(moved, move, STAGES[-1], seed)


def smallest_p_value(problem: Problem, draws: Iterator[tuple[int, ...]]) -> float:
    """Return the p-value of as many draws as it takes to fall below REJECT, if any do."""
    return until_rejected(problem, draws, STAGES).p_value
