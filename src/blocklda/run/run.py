"""Chains that advance together, in as many threads as wanted: the loop above the chains."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Protocol

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.draw import Draw, Store
from blocklda.results.trace import Trace
from blocklda.run.chain_run import ChainRun, RunPlan
from blocklda.run.interrupts import StopFlag, stop_on_ctrl_c
from blocklda.run.schedule import Schedule
from blocklda.support.arrays import Floats

__all__ = ["DrawCallback", "Run", "Watcher"]

DrawCallback = Callable[[Draw], object]
"""Is given each kept draw; if it returns True, that ends the run."""

POLL_SECONDS = 0.1
"""How often the display is told how far the chains are."""


class Watcher(Protocol):
    """Somebody who looks at a run while it goes on."""

    def next_look(self, sweep: int) -> int:
        """Return the next sweep, after this one, at which all chains shall have arrived."""

    def look(self, run: Run) -> None:
        """Look at the run; all chains stand at the same sweep, unless the run ends here."""


class Run:
    """Chains that advance together, and what was kept of them.

    Every chain has its own stream of random numbers, so how many of them run at once changes
    nothing. They wait for each other at every kept draw.
    """

    def __init__(self, chains: Sequence[ChainRun], seconds: float = 0.0) -> None:
        self.chains = tuple(chains)
        self.seconds = seconds
        """Time spent so far, in this and in earlier sessions."""

    @property
    def plan(self) -> RunPlan:
        """What is done with every chain."""
        return self.chains[0].plan

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
    def store(self) -> Store:
        """The kept draws by sweep and chain."""
        draws = [draw for chain in self.chains for draw in chain.draws]
        return Store(sorted(draws, key=lambda draw: (draw.sweep, draw.chain)))

    def advance(
        self,
        schedule: Schedule,
        *,
        n_workers: int = 1,
        n_threads: int = 1,
        callback: DrawCallback | None = None,
        watchers: Sequence[Watcher] = (),
        on_progress: Callable[[Run], None] | None = None,
    ) -> bool:
        """Go on to the end of the schedule; return False if Ctrl-C ended it before.

        ``n_workers`` chains run at once, each in ``n_threads`` threads if its sampler can.

        After every kept sweep ``callback`` is given the draw of each chain. If it returned True for
        one of them the run ends there. Watchers look when they want to, and at the end.
        """
        start, before = time.perf_counter(), self.seconds
        for one in self.chains:
            one.chain.use_threads(n_threads)
        with stop_on_ctrl_c() as stop, ThreadPoolExecutor(n_workers, "blocklda") as pool:
            try:
                while self.n_sweeps < schedule.n_sweeps and not stop.is_raised():
                    until = min(
                        schedule.n_sweeps,
                        schedule.next_kept(self.n_sweeps),
                        *(watcher.next_look(self.n_sweeps) for watcher in watchers),
                    )
                    work = [
                        pool.submit(
                            copy_context().run, chain.advance, until, schedule, stop.is_raised
                        )
                        for chain in self.chains
                    ]
                    self._wait(work, stop, on_progress)
                    self.seconds = before + time.perf_counter() - start
                    if stop.is_raised():
                        break
                    if callback is not None and schedule.keeps(until) and self._shown(callback):
                        break
                    for watcher in watchers:
                        if watcher.next_look(until - 1) == until < schedule.n_sweeps:
                            watcher.look(self)
            except BaseException:
                stop.raise_it()  # the threads end after their sweep, and leaving waits for them
                raise
            for watcher in watchers:
                watcher.look(self)
        return not stop.by_user or self.n_sweeps >= schedule.n_sweeps

    def _wait(
        self, work: list[Future[None]], stop: StopFlag, on_progress: Callable[[Run], None] | None
    ) -> None:
        """Wait for all threads; the first error, in the order of the chains, comes out here."""
        pending = set(work)
        while pending:
            done, pending = wait(pending, timeout=POLL_SECONDS)
            if any(future.exception() for future in done):
                stop.raise_it()
            if on_progress is not None:
                on_progress(self)
        for future in work:
            future.result()

    def _shown(self, callback: DrawCallback) -> bool:
        """Whether the callback, shown the latest draws, wants to stop."""
        draws = [chain.last_draw for chain in self.chains if chain.last_draw is not None]
        answers = [_says_stop(callback(draw)) for draw in draws]  # all are shown
        return any(answers)

    def log_posterior(self) -> Floats:
        """Return the log posterior after every sweep, shape (chains, sweeps).

        NaN stands for sweeps that a chain has not done because the run was stopped.
        """
        longest = max(len(chain.log_posterior) for chain in self.chains)
        table = np.full((len(self.chains), longest), np.nan)
        for row, chain in zip(table, self.chains, strict=True):
            row[: len(chain.log_posterior)] = chain.log_posterior
        return table

    def trace(self) -> Trace:
        """Return the kept values of all chains, up to the last draw that every chain has."""
        n = min(chain.n_draws for chain in self.chains)
        values = [chain.values for chain in self.chains]
        sweeps = np.array(values[0].sweeps[:n], dtype=np.int64)
        learning, n_topics = self.plan.learning, self.chains[0].chain.n_topics

        def table(name: str, *shape: int) -> Floats:
            rows = [getattr(kept, name)[:n] for kept in values]
            return np.array(rows, dtype=np.float64).reshape(len(values), n, *shape)

        return Trace(
            sweeps=sweeps,
            log_posterior=self.log_posterior()[:, sweeps - 1],
            topic_sizes=table("topic_sizes", n_topics).astype(np.int64),
            co_assignment=table("co_assignment", len(self.plan.pairs)),
            # Optimised priors stand still while draws are kept: there is nothing to diagnose.
            alpha=table("alpha", n_topics) if learning.samples_alpha else None,
            beta=table("beta") if learning.samples_beta else None,
            seconds=self.seconds,
        )

    def shares_its_past_with(self, other: Run) -> bool:
        """Whether both are the same chains, one perhaps further than the other."""
        return len(self.chains) == len(other.chains) and all(
            one == another
            for mine, theirs in zip(self.chains, other.chains, strict=True)
            for one, another in zip(mine.log_posterior, theirs.log_posterior, strict=False)
        )

    def fork(self) -> Run:
        """Return a run at the same point; advancing it leaves this one as it is."""
        return Run([chain.fork() for chain in self.chains], self.seconds)


def _says_stop(answer: object) -> bool:
    """Whether a callback returned True, Python's or NumPy's; nothing else stops a run."""
    return isinstance(answer, bool | np.bool_) and bool(answer)
