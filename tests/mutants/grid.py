"""Wrong samplers on a grid: the kernel of `grid` with wrong masses, on two by two cells."""

from __future__ import annotations

from functools import partial

import numpy as np

from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import grid as twin
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.grid import sampler as kernel
from blocklda.models.lda.samplers.grid.word_masses import WordGroups, draw_masses
from blocklda.models.lda.state import State, SweepOptions
from tests.mutants.parts import replaced

SIZE = 2

RIGHT: tuple[Sweep, Sweep] = partial(twin.sweep, size=SIZE), partial(kernel.run, size=SIZE)
"""The twin and the kernel."""


def _with(groups: type[WordGroups]) -> Sweep:
    """Return the kernel's sweep with another kind of groups."""

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with replaced(kernel, WordGroups=groups):
            return kernel.run(state, options, n_sweeps, SIZE)

    return sweep


class _NoMasses(WordGroups):
    """Weighs a topic's words in a group as if all of the topic lay in it."""

    def draw(self, rng: np.random.Generator) -> None:
        self.masses[:] = 1.0


class _ExpectedMasses(WordGroups):
    """Takes what masses are on average for what they are."""

    def draw(self, rng: np.random.Generator) -> None:
        k = self.n_topics
        concentrations = self.totals[:, :k] + self.beta_sum[:, :k]
        self.masses[:, :k] = concentrations / concentrations.sum(axis=0)


class _MassesOfThePrior(WordGroups):
    """Draws masses that know nothing of the tokens."""

    def draw(self, rng: np.random.Generator) -> None:
        self.masses[:, : self.n_topics] = draw_masses(self.beta_sum[:, : self.n_topics], rng)


class _MassesOfTheSweepBefore(WordGroups):
    """Draws masses anew in every step, from the totals at the beginning of the sweep.

    There is one group object for a run and one generator of masses for a sweep.
    """

    at_start: np.ndarray
    sweep: np.random.Generator | None = None

    def draw(self, rng: np.random.Generator) -> None:
        if self.sweep is not rng:
            self.sweep, self.at_start = rng, self.totals.copy()
        k = self.n_topics
        self.masses[:, :k] = draw_masses(self.at_start[:, :k] + self.beta_sum[:, :k], rng)


class _BetaOfAllWords(WordGroups):
    """Divides by n_kg + Vβ, with the sum of β over all words."""

    def __init__(self, starts: np.ndarray, priors: Priors, *, once: bool = False) -> None:
        super().__init__(starts, priors, once=once)
        self.of_groups = self.beta_sum[:, : self.n_topics].copy()
        self.beta_sum[:] = self.beta_sum.sum(axis=0)

    def draw(self, rng: np.random.Generator) -> None:
        k = self.n_topics
        self.masses[:, :k] = draw_masses(self.totals[:, :k] + self.of_groups, rng)


MUTANTS: dict[str, Sweep] = {
    "no masses of groups": _with(_NoMasses),
    "masses of groups not drawn": _with(_ExpectedMasses),
    "masses of groups from the prior": _with(_MassesOfThePrior),
    "masses of groups from old totals": _with(_MassesOfTheSweepBefore),
    "beta of all words in a group": _with(_BetaOfAllWords),
}
