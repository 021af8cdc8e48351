"""Wrong samplers on a grid: the twin of `grid` with one mistake each, on two by two cells."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

import numpy as np

from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import grid as twin
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.grid.word_masses import WordGroups, draw_masses
from blocklda.models.lda.state import State, SweepOptions

SIZE = 2

RIGHT: Sweep = partial(twin.sweep, size=SIZE)


def _with(groups: type[WordGroups]) -> Sweep:
    """Return the twin's sweep with another kind of groups."""

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with patch.object(twin, "WordGroups", groups):
            return twin.sweep(state, options, n_sweeps, SIZE)

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

    def __init__(self, starts: np.ndarray, priors: Priors) -> None:
        super().__init__(starts, priors)
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
