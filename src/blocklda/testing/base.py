"""What the tests of exactness ask of a model: problems whose states are listed, and joint draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from blocklda.models.base import SweepOptions
from blocklda.support.arrays import Floats, Ints
from blocklda.testing.verdict import Verdict

__all__ = ["Enumerated", "Joint", "OneByOne", "Subject", "Sweep"]

Sweep = Callable[[Any, Any, int], int]
"""Advance a state in place, given options and a number of sweeps; return the steps it took."""


class Enumerated(Protocol):
    """A posterior with so few states that all of them are listed with their probabilities."""

    @property
    def options(self) -> Any:
        """The options that sweeps get."""

    def exact_states(self, n_draws: int, seed: Any) -> Iterator[Any]:
        """Yield states of the model at independent draws from the exact posterior.

        It may be one state again and again, which is then at another draw.
        """

    def observe(self, state: Any) -> Any:
        """Return what is compared of a state, as something that later sweeps leave as it is."""

    def positions(self, seen: Sequence[Any]) -> Ints:
        """Return the number of each observed state in the list."""

    def judge(self, seen: Sequence[Any]) -> Verdict:
        """Compare independent observations with the exact posterior."""


class Joint(Protocol):
    """A model whose parameters, hidden variables and data can be drawn together."""

    def population(self, n_draws: int, rng: np.random.Generator) -> Any:
        """Return independent draws from the joint distribution."""

    def advanced(
        self, population: Any, sweep: Sweep, n_sweeps: int, rng: np.random.Generator
    ) -> Any:
        """Return what draws become after some sweeps given their data; the old ones stay."""

    def functions(self, population: Any) -> Mapping[str, Floats]:
        """Return functions of each draw by name, one number per draw."""


class OneByOne(ABC):
    """A :class:`Joint` of states that are drawn, moved and measured one by one.

    ``options`` are those that sweeps get.
    """

    options: Any = SweepOptions()

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Any:
        """Return a state of the model, its corpus included, from the joint distribution.

        The state's own generator should be spawned from ``rng``.
        """

    @abstractmethod
    def measure(self, state: Any) -> Mapping[str, float]:
        """Return functions of a state by name."""

    def population(self, n_draws: int, rng: np.random.Generator) -> list[Any]:
        """Return independent states."""
        return [self.draw(rng) for _ in range(n_draws)]

    def advanced(
        self, population: Any, sweep: Sweep, n_sweeps: int, rng: np.random.Generator
    ) -> list[Any]:
        """Return copies of states, advanced by some sweeps."""
        found = []
        for state in population:
            moved = state.copy()
            sweep(moved, self.options, n_sweeps)
            moved.n_sweeps += n_sweeps
            moved.forget_derived()
            found.append(moved)
        return found

    def functions(self, population: Any) -> dict[str, Floats]:
        """Return each function of all states."""
        rows = [self.measure(state) for state in population]
        return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


@dataclass(frozen=True)
class Subject:
    """A sampler, and what it is tested on.

    Attributes
    ----------
    name
        Its name in tables.
    sweep
        Advances a state in place, given options and a number of sweeps.
    problems
        Problems whose states are listed, by name: for one-step invariance and for enumeration.
    joints
        Models to draw from, by name: for Geweke's test and simulation-based calibration.
    learned_sweep
        The sweep for ``joints``, if it is another: one that draws learned parameters too.

    Examples
    --------
    >>> from blocklda import testing
    >>> testing.find_subjects("mixture")[0].name
    'mixture/blocks'
    """

    name: str
    sweep: Sweep
    problems: Mapping[str, Enumerated] = field(default_factory=dict)
    joints: Mapping[str, Joint] = field(default_factory=dict)
    learned_sweep: Sweep | None = None

    @property
    def joint_sweep(self) -> Sweep:
        """The sweep for ``joints``."""
        return self.learned_sweep or self.sweep
