"""What the plans of all models have: a fit that can be started, nothing sampled yet."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.diagnostics.stopping import StoppingRule
from blocklda.files.run_file import read_run
from blocklda.models.base import Model
from blocklda.run.chain import BaseChain
from blocklda.run.chain_run import ChainRun
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.support import defaults
from blocklda.support.checks import (
    n_workers,
    real_numbers,
    seed_sequence,
    true_or_false,
    whole_number,
)
from blocklda.support.defaults import LONG_BURN_IN, MAX_SWEEPS_KEPT, SHORT_BURN_IN
from blocklda.support.errors import InputError, not_allowed

__all__ = [
    "MAY_CHANGE",
    "BasePlan",
    "checked_chains",
    "checked_keep_draws",
    "checked_seconds",
    "resolved_burn_in",
    "resolved_sweeps",
    "shared_settings",
]

MAY_CHANGE = (
    "n_sweeps",
    "n_jobs",
    "callback",
    "warm_start",
    "progress",
    "allow_memory_overcommit",
    "max_seconds",
)
"""Parameters that may change when a fit is resumed: they do not change chains or draws."""

MIN_KEPT = 60
"""Draws of each chain before "auto" ends in any case, however few sweeps are kept."""

MAX_CHAINS = 2**16
"""More than any machine holds, and few enough to be counted before memory is asked for."""


@dataclass(frozen=True, kw_only=True)
class BasePlan(ABC):
    """A fit that can be started: checked parameters, nothing sampled yet."""

    model: Model
    options: Any
    """How chains sweep."""
    starts: tuple[Any, ...]
    schedule: Schedule
    n_workers: int
    """Chains that run at once."""
    n_threads: int
    """Of each, for samplers that can use several: what is left of the jobs is shared out."""
    keep_draws: int
    """Draws of a chain that are kept at the most."""
    random_state: Any
    stops_when_settled: bool
    """Whether a run may end before its last sweep, once the answer no longer changes."""
    max_seconds: float
    settings: dict[str, Any] = field(repr=False)
    """What a fit that continues this one must have in common with it."""

    @abstractmethod
    def new_chain(self, init: Any, seed: np.random.SeedSequence) -> BaseChain:
        """Return a chain at its start."""

    @abstractmethod
    def restored_chain(self, model: Any, stored: Any) -> BaseChain:
        """Return the chain in a part of a file."""

    @abstractmethod
    def require_memory(self, earlier: Run | None) -> None:
        """Refuse a fit that takes more memory than is free, beyond that of an earlier one."""

    @property
    def seed(self) -> int | None:
        """The seed, if it is a number."""
        return self.random_state if isinstance(self.random_state, int) else None

    @property
    def corpus(self) -> Corpus:
        """The corpus that is fitted."""
        return self.model.corpus

    def start(self) -> Run:
        """Return chains at their starts, each with a stream of its own."""
        seeds = seed_sequence("random_state", self.random_state).spawn(len(self.starts))
        return Run(
            [
                ChainRun(number, self.new_chain(init, seed), keep_draws=self.keep_draws)
                for number, (init, seed) in enumerate(zip(self.starts, seeds, strict=True))
            ]
        )

    def check_starts(self) -> None:
        """Refuse starts of chains that :meth:`start` would refuse."""
        seed_sequence("random_state", self.random_state)
        for init in self.starts:
            self.model.check_start(init)

    def read_run(self, path: Path) -> Run:
        """Return the run of this plan that is in a file, without its draws."""
        return read_run(path, self.model, keep_draws=self.keep_draws, restore=self.restored_chain)

    def stopping_rule(self) -> StoppingRule:
        """Return what looks at the run, and ends it when its answer has settled if it may."""
        return StoppingRule(self.schedule, ends_runs=self.stops_when_settled)

    def with_burn_in(self, burn_in: int) -> Self:
        """Return the same plan for a run that has this burn-in already."""
        n_sweeps = self.schedule.n_sweeps
        if self.stops_when_settled:
            n_sweeps += burn_in - self.schedule.burn_in
        schedule = Schedule.create(n_sweeps, burn_in, self.schedule.thin)
        return replace(self, schedule=schedule)

    def continued(self, n_sweeps: int) -> Self:
        """Return the plan for a run that has done ``n_sweeps`` already, with room for more."""
        if not self.stops_when_settled:
            return self
        last = max(self.schedule.n_sweeps, n_sweeps + MAX_SWEEPS_KEPT)
        return replace(self, schedule=replace(self.schedule, n_sweeps=last))

    def n_kept(self) -> int:
        """Return the most draws of a chain that are there at a time; the last one always is."""
        return max(1, min(self.schedule.n_draws, self.keep_draws))


def checked_chains(estimator: Any) -> int:
    """Return the number of chains, after a look at what all estimators have."""
    n_chains = whole_number("n_chains", estimator.n_chains, 1, MAX_CHAINS)
    for name in ("warm_start", "progress", "allow_memory_overcommit"):
        true_or_false(name, getattr(estimator, name))
    _check_callback(estimator.callback)
    return n_chains


def shared_settings(estimator: Any, n_chains: int) -> dict[str, Any]:
    """Return the parts of a plan that do not depend on the model."""
    jobs = n_workers(estimator.n_jobs)
    return {
        "n_workers": min(n_chains, jobs),
        "n_threads": max(1, jobs // n_chains),
        "keep_draws": checked_keep_draws(estimator.keep_draws, n_chains),
        "random_state": estimator.random_state,
        "max_seconds": checked_seconds(estimator.max_seconds),
    }


def resolved_sweeps(n_sweeps: Any, burn_in: int, thin: int) -> tuple[int, bool]:
    """Return the number of sweeps, and whether a run may end before: "auto" is a limit."""
    if isinstance(n_sweeps, str):
        if n_sweeps != "auto":
            raise not_allowed("n_sweeps", n_sweeps, 'a whole number from 1 up, or "auto"')
        return burn_in + max(MAX_SWEEPS_KEPT, MIN_KEPT * thin), True
    return whole_number("n_sweeps", n_sweeps, 1), False


def resolved_burn_in(burn_in: Any, n_sweeps: Any, *, is_long: bool) -> int:
    """Return the number of sweeps that "auto" stands for, or what was given."""
    if isinstance(burn_in, str):
        if burn_in != "auto":
            raise not_allowed("burn_in", burn_in, 'a whole number from 0 up, or "auto"')
        wanted = LONG_BURN_IN if is_long else SHORT_BURN_IN
        if isinstance(n_sweeps, str):
            return wanted
        return min(whole_number("n_sweeps", n_sweeps, 1) // 2, wanted)
    return whole_number("burn_in", burn_in, 0)


def checked_keep_draws(keep_draws: Any, n_chains: int) -> int:
    """Return the number of draws of a chain that are kept at the most."""
    if isinstance(keep_draws, bool | np.bool_):
        at_most = defaults.MAX_DRAWS if n_chains == 1 else defaults.MAX_DRAWS_OF_SEVERAL
        return at_most if keep_draws else 0
    if not isinstance(keep_draws, int | np.integer):
        true_or_false("keep_draws", keep_draws)
    return whole_number("keep_draws", keep_draws, 1)


def checked_seconds(max_seconds: Any) -> float:
    """Return the time after which a fit ends, infinity for None."""
    if max_seconds is None:
        return math.inf
    seconds = real_numbers(max_seconds)
    if seconds is None or seconds.ndim or not seconds > 0:
        raise not_allowed("max_seconds", max_seconds, "a positive number, or None for no limit")
    return float(seconds)


def _check_callback(callback: Any) -> None:
    """Refuse a callback that cannot be called."""
    if callback is not None and not callable(callback):
        raise InputError.of(
            "{callback=} is not a function: [give <a function of one draw, or None>]."
        ).where(callback=callback)
