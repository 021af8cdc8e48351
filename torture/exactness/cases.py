"""What is tested: a problem whose states are listed, and a sweep with options, all at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.testing.base import Sweep
from blocklda.testing.verdict import Verdict

__all__ = ["Case", "Problem", "State"]

State = Any
"""A state of any model."""

Problem = Any
"""A problem of any model, as `blocklda.testing.Enumerated` describes it, with probabilities."""


@dataclass(frozen=True)
class Case:
    """A sweep on a problem; ``tags`` say of what kind both are, by the names of their features."""

    problem: Problem
    sweep: Sweep
    n_sweeps: int
    tags: Mapping[str, str]
    functions: Callable[[Problem], Mapping[str, np.ndarray]]
    """Numbers of every state, beside their probabilities, whose means are compared."""
    beside: Callable[..., tuple[np.ndarray, np.ndarray]] | None = None
    """Given a problem, observations, a shape and a generator: a number of each observation that its
    state does not determine, and as many exact draws of it."""
    prepare: Callable[[State], None] = lambda state: None
    """What is done to a state before its sweep, such as telling how many there were."""

    def moved(self, n_draws: int, seed: int) -> list[Any]:
        """Return what exact draws have become after the sweeps."""
        seen = []
        for state in self.problem.exact_states(n_draws, seed):
            self.prepare(state)
            self.sweep(state, self.problem.options, self.n_sweeps)
            seen.append(self.problem.observe(state))
        return seen

    def verdict(self, n_draws: int, seed: int) -> Verdict:
        """Return the test that `blocklda check` does."""
        verdict: Verdict = self.problem.judge(self.moved(n_draws, seed))
        return verdict
