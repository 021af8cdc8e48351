"""Chains of one model that advance together, in as many threads as wanted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.base import Model
from blocklda.run.chain_run import ChainRun
from blocklda.run.engine import DrawCallback, Ending, Observer, advance
from blocklda.run.interrupts import StopFlag
from blocklda.run.schedule import Schedule
from blocklda.support.arrays import Floats
from blocklda.support.memory import return_freed_memory

__all__ = ["Run"]

POLL_SECONDS = 0.1
"""Seconds between updates of the display."""


class Run:
    """Chains that advance together, and what was kept of them.

    Every chain has its own stream of random numbers, so how many of them run at once changes
    nothing. They wait for each other at every kept draw.
    """

    def __init__(self, chains: Sequence[ChainRun], seconds: float = 0.0) -> None:
        self.chains = tuple(chains)
        self.seconds = seconds
        """Time spent so far, in this and in earlier sessions."""
        self.looks: list[dict[str, Any]] = []
        """What a stopping rule saw so far, as plain values: it continues from them."""
        self._n_workers = 1
        self._on_progress: Callable[[Run], None] | None = None

    @property
    def model(self) -> Model:
        """The model whose chains they are."""
        return self.chains[0].model

    @property
    def corpus(self) -> Corpus:
        """The corpus the chains run on."""
        return self.chains[0].chain.corpus

    @property
    def n_sweeps(self) -> int:
        """Sweeps that every chain has done."""
        return min(chain.n_sweeps for chain in self.chains)

    @property
    def n_draws(self) -> int:
        """Draws taken of all chains together."""
        return sum(chain.n_draws for chain in self.chains)

    @property
    def draws(self) -> tuple[Any, ...]:
        """The kept draws by sweep and chain."""
        draws = [draw for chain in self.chains for draw in chain.draws]
        return tuple(sorted(draws, key=lambda draw: (draw.sweep, draw.chain)))

    def advance(
        self,
        schedule: Schedule,
        *,
        n_workers: int = 1,
        n_threads: int = 1,
        callback: DrawCallback | None = None,
        observers: Sequence[Observer[Run]] = (),
        on_progress: Callable[[Run], None] | None = None,
        max_seconds: float = math.inf,
    ) -> Ending:
        """Continue to the end of the schedule, or until something ends the run before.

        ``n_workers`` chains run at once, each in ``n_threads`` threads if its sampler can. The
        other parameters are those of :func:`blocklda.run.engine.advance`.
        """
        self._n_workers, self._on_progress = n_workers, on_progress
        for part in self.chains:
            part.chain.use_threads(n_threads)
        return advance(
            self, schedule, callback=callback, observers=observers, max_seconds=max_seconds
        )

    @contextmanager
    def at_work(self, schedule: Schedule, stop: StopFlag) -> Iterator[Callable[[int], None]]:
        """Give a function that advances every chain to a sweep, several at once."""
        with ThreadPoolExecutor(self._n_workers, "blocklda") as pool:

            def advance_to(until: int) -> None:
                work = [
                    pool.submit(copy_context().run, chain.advance, until, schedule, stop.is_set)
                    for chain in self.chains
                ]
                self._wait(work, stop)

            try:
                yield advance_to
            except BaseException:
                stop.set()  # the threads end after their sweep, and leaving waits for them
                raise

    def _wait(self, work: list[Future[None]], stop: StopFlag) -> None:
        """Wait for all threads; the first error, in the order of the chains, comes out here."""
        pending = set(work)
        while pending:
            done, pending = wait(pending, timeout=POLL_SECONDS)
            if any(future.exception() for future in done):
                stop.set()
            if self._on_progress is not None:
                self._on_progress(self)
        for future in work:
            future.result()

    def latest_draws(self) -> list[Any]:
        """Return the last draw of every chain that has one."""
        return [chain.last_draw for chain in self.chains if chain.last_draw is not None]

    def log_levels(self) -> Floats:
        """Return the log density after every sweep, shape (chains, sweeps).

        NaN stands for sweeps that a chain has not done because the run was stopped.
        """
        return _by_sweep([chain.log_levels for chain in self.chains])

    def counts(self) -> Floats | None:
        """Return the number of topics after every sweep, alike; None where it is given."""
        if not self.model.counted:
            return None
        return _by_sweep([chain.counts for chain in self.chains])

    def shares_its_past_with(self, other: Run) -> bool:
        """Return True if both are the same chains, one possibly after more sweeps."""
        return len(self.chains) == len(other.chains) and all(
            mine == theirs
            for own, others in zip(self.chains, other.chains, strict=True)
            for mine, theirs in zip(own.log_levels, others.log_levels, strict=False)
        )

    def release_tables(self) -> None:
        """Drop what samplers keep between sweeps: the next sweep makes it again."""
        for part in self.chains:
            part.chain.state.workspace = None
        return_freed_memory()

    def fork(self) -> Run:
        """Return a run at the same point; advancing it leaves this one as it is."""
        other = Run([chain.fork() for chain in self.chains], self.seconds)
        other.looks = list(self.looks)
        return other


def _by_sweep(chains: Sequence[Sequence[float]]) -> Floats:
    """Return what was recorded after every sweep, NaN where a chain is behind."""
    table = np.full((len(chains), max(map(len, chains))), np.nan)
    for row, values in zip(table, chains, strict=True):
        row[: len(values)] = values
    return table
