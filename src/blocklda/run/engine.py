"""The loop above the sweeps: stops at draws and checkpoints, answers Ctrl-C. The only one.

It serves chains in threads of this process (:class:`blocklda.run.run.Run`) and a chain on shards
(:class:`blocklda.parallel.run.ShardedRun`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

import numpy as np

from blocklda.run.interrupts import StopFlag, stop_on_ctrl_c
from blocklda.run.schedule import Schedule

__all__ = ["Advances", "DrawCallback", "Observer", "advance"]

DrawCallback = Callable[[Any], object]
"""Is given each kept draw; if it returns True, that ends the run."""


class Advances(Protocol):
    """Something that can be swept to a given sweep, and stopped on the way."""

    seconds: float
    """Time spent so far, in this and in earlier sessions."""

    @property
    def n_sweeps(self) -> int:
        """Sweeps that all of it has done."""

    def at_work(
        self, schedule: Schedule, stop: StopFlag
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Give a function that advances to a sweep, or to where a stop was requested."""

    def latest_draws(self) -> Sequence[Any]:
        """Return the last draw of every chain that has one."""


Run_contra = TypeVar("Run_contra", contravariant=True)


class Observer(Protocol[Run_contra]):
    """Looks at a run while it continues: a checkpoint, for example."""

    def next_look(self, sweep: int) -> int:
        """Return the next sweep, after this one, at which all chains wait to be looked at."""

    def look(self, run: Run_contra) -> None:
        """Look at the run; all chains stand at the same sweep, unless the run ends here."""


Running = TypeVar("Running", bound=Advances)


def advance(
    run: Running,
    schedule: Schedule,
    *,
    callback: DrawCallback | None = None,
    observers: Sequence[Observer[Running]] = (),
) -> bool:
    """Continue to the end of the schedule; return False if Ctrl-C ended it before.

    After every kept sweep ``callback`` is given the draw of each chain. If it returned True for one
    of them the run ends there. Observers look when they ask to, and at the end.
    """
    start, before = time.perf_counter(), run.seconds
    with stop_on_ctrl_c() as stop, run.at_work(schedule, stop) as advance_to:
        while run.n_sweeps < schedule.n_sweeps and not stop.is_set():
            until = min(
                schedule.n_sweeps,
                schedule.next_kept(run.n_sweeps),
                *(observer.next_look(run.n_sweeps) for observer in observers),
            )
            advance_to(until)
            run.seconds = before + time.perf_counter() - start
            if stop.is_set():
                break
            if callback is not None and schedule.keeps(until) and _stops(callback, run):
                break
            for observer in observers:
                if observer.next_look(until - 1) == until < schedule.n_sweeps:
                    observer.look(run)
        for observer in observers:
            observer.look(run)
    return not stop.by_user or run.n_sweeps >= schedule.n_sweeps


def _stops(callback: DrawCallback, run: Advances) -> bool:
    """Whether the callback, given the latest draws, requests a stop: True and nothing else does."""
    answers = [callback(draw) for draw in run.latest_draws()]  # all are shown
    return any(isinstance(answer, bool | np.bool_) and bool(answer) for answer in answers)
