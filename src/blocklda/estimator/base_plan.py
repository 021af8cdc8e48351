"""What the plans of all models have: a fit that can be started, nothing sampled yet."""

from __future__ import annotations

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
from blocklda.support.checks import seed_sequence
from blocklda.support.defaults import MAX_SWEEPS_KEPT

__all__ = ["BasePlan"]


@dataclass(frozen=True, kw_only=True)
class BasePlan(ABC):
    """A fit that can be started: checked parameters, nothing sampled yet."""

    model: Model
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
    """What a fit that goes on with this one must have the same."""

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

    def read_run(self, path: Path) -> Run:
        """Return the run of this plan that is in a file, without its draws."""
        return read_run(path, self.model, keep_draws=self.keep_draws, restore=self.restored_chain)

    def stopping_rule(self) -> StoppingRule | None:
        """Return what ends the run when its answer has settled, None for a fixed number."""
        return StoppingRule(self.schedule) if self.stops_when_settled else None

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
