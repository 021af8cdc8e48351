"""One chain and what was kept of it: the part of a run that one worker advances."""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Callable
from itertools import compress
from typing import Any

import numpy as np

from blocklda.models.base import Means, Model
from blocklda.run.chain import BaseChain
from blocklda.run.schedule import Schedule
from blocklda.support import defaults
from blocklda.support.arrays import Floats

__all__ = ["ChainRun", "thinning"]


def thinning(n_draws: int, max_draws: int) -> int:
    """Return every how many draws one is kept, so that of ``n_draws`` at most ``max_draws`` are.

    It is a power of 2, so that a draw that is kept at the end was kept all the time; 0 for none.
    """
    if max_draws == 0:
        return 0
    step = 1
    while n_draws // step > max_draws:
        step *= 2
    return step


class ChainRun:
    """A chain, its log density after every sweep, and its draws, their means and quantities.

    Attributes
    ----------
    log_levels
        The model's log joint density, up to a constant, after every sweep.
    counts
        The number of topics after every sweep, NaN where it is not known; empty if it is given.
    kept_sweeps
        The sweeps whose states were kept as draws.
    values
        The quantities that the model records of its draws, by name: a list with one per draw.
    means
        Running means over the draws, None before the first.
    draws
        The draws that are kept: all, or of more than ``max_draws`` every second, fourth, … one.
    """

    def __init__(self, number: int, chain: BaseChain, *, keep_draws: bool | int = True) -> None:
        self.number = number
        self.chain = chain
        self.keep_draws = keep_draws
        self.log_levels: list[float] = []
        self.counts: list[float] = []
        self.kept_sweeps: list[int] = []
        self._quantities = chain.model.quantities
        self.values: dict[str, list[Any]] = {one.name: [] for one in self._quantities}
        self.means: Means | None = None
        self.draws: list[Any] = []
        self.last_draw: Any = None
        self.awaited: list[int] = []
        """Sweeps of kept draws that are in a file that is still to be read."""

    @property
    def model(self) -> Model:
        """The model whose chain it is."""
        return self.chain.model

    @property
    def n_sweeps(self) -> int:
        """Sweeps that the chain has done."""
        return self.chain.n_sweeps

    @property
    def n_draws(self) -> int:
        """Draws that were taken, whether they are still there or only their means."""
        return len(self.kept_sweeps)

    def kept_levels(self) -> Floats:
        """Return the log density at the kept draws."""
        return np.array([self.log_levels[sweep - 1] for sweep in self.kept_sweeps])

    @property
    def max_draws(self) -> int:
        """How many draws are kept at the most."""
        return defaults.MAX_DRAWS if self.keep_draws is True else int(self.keep_draws)

    def advance(self, until: int, schedule: Schedule, is_stopped: Callable[[], bool]) -> None:
        """Continue until the chain has ``until`` sweeps or a stop is requested."""
        model, state = self.model, self.chain.state
        while self.n_sweeps < until and not is_stopped():
            self.chain.sweep()
            model.between_sweeps(state, schedule.burn_in)
            self.log_levels.append(model.log_level(state))
            if model.counted:
                self.counts.append(model.count(state))
            if schedule.keeps(self.n_sweeps):
                self.keep(self.chain.draw(self.number))

    def keep(self, draw: Any) -> None:
        """Take a draw into the means and values."""
        self.kept_sweeps.append(draw.sweep)
        for quantity in self._quantities:
            self.values[quantity.name].append(quantity.measure(draw))
        if self.means is None:
            self.means = self.model.first_means(draw)  # None for a model that has no means
        else:
            self.means.add(draw)
        self.last_draw = draw
        self._thin([*self.draws, draw])

    def _thin(self, draws: list[Any]) -> None:
        """Keep draws that are spread evenly over all that were taken, however many will follow."""
        step = thinning(self.n_draws, self.max_draws)
        numbers = [bisect_right(self.kept_sweeps, draw.sweep) for draw in draws]
        chosen = [step > 0 and number % step == 0 for number in numbers]
        self.draws = list(compress(draws, chosen))
        if self.means is not None and len(self.draws) < len(draws):
            self.means.settle([draw for draw, kept in zip(draws, chosen, strict=True) if not kept])

    def take_back(self, draws: list[Any]) -> None:
        """Take the kept draws from a file, after the rest of the chain."""
        self.draws, self.awaited = draws, []
        self.last_draw = draws[-1] if draws else None
        if self.means is not None:
            self.means.hold(draws, self.n_draws)

    def fork(self) -> ChainRun:
        """Return a copy at the same point; advancing it leaves this one as it is."""
        other = ChainRun(self.number, copy.copy(self.chain), keep_draws=self.keep_draws)
        other.log_levels = list(self.log_levels)
        other.counts = list(self.counts)
        other.kept_sweeps = list(self.kept_sweeps)
        other.values = {name: list(values) for name, values in self.values.items()}
        other.means = None if self.means is None else self.means.copy()
        other.draws = list(self.draws)
        other.last_draw = self.last_draw
        return other
