"""The loop above the sweeps: stops at draws and checkpoints, answers Ctrl-C. The only one.

It serves chains in threads of this process (:class:`blocklda.run.run.Run`) and a chain on shards
(:class:`blocklda.parallel.run.ShardedRun`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any, Protocol, TypeVar

import numpy as np

from blocklda.run.interrupts import StopFlag, stop_on_ctrl_c
from blocklda.run.schedule import Schedule

__all__ = ["Advances", "DrawCallback", "Ending", "Observer", "advance"]

DrawCallback = Callable[[Any], object]
"""Is given each kept draw; if it returns True, that ends the run."""


class Ending(StrEnum):
    """What ended a run."""

    SCHEDULE = "schedule"
    """All sweeps that were asked for were done."""
    SETTLED = "settled"
    """An observer saw that more sweeps no longer change the answer."""
    CAP = "cap"
    """Sweeps were to end when the answer had settled, and their limit came first."""
    TIME = "time"
    """The time that was given was over."""
    CALLBACK = "callback"
    """The user's callback requested it."""
    INTERRUPT = "interrupt"
    """Ctrl-C."""


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

    def look(self, run: Run_contra) -> object:
        """Look at the run; all chains stand at the same sweep, unless the run ends here.

        If it returns True, the run ends: the answer has settled.
        """


Running = TypeVar("Running", bound=Advances)


def advance(
    run: Running,
    schedule: Schedule,
    *,
    callback: DrawCallback | None = None,
    observers: Sequence[Observer[Running]] = (),
    max_seconds: float = math.inf,
) -> Ending:
    """Continue to the end of the schedule, or until something ends the run before; return what.

    After every kept sweep ``callback`` is given the draw of each chain. If it returned True for one
    of them the run ends there. Observers look when they ask to, and at the end, in their order.
    ``max_seconds`` counts this and earlier sessions; the run ends at the first stop after it.
    """
    start, before = time.perf_counter(), run.seconds
    ending: Ending | None = None
    with stop_on_ctrl_c() as stop, run.at_work(schedule, stop) as advance_to:
        while ending is None and run.n_sweeps < schedule.n_sweeps and not stop.is_set():
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
                ending = Ending.CALLBACK
                break
            for observer in observers:
                if observer.next_look(until - 1) == until < schedule.n_sweeps and _is_true(
                    observer.look(run)
                ):
                    ending = Ending.SETTLED
            if ending is None and run.seconds >= max_seconds and run.n_sweeps < schedule.n_sweeps:
                ending = Ending.TIME
        looks = [observer.look(run) for observer in observers]
        if ending is None and any(map(_is_true, looks)):
            ending = Ending.SETTLED
    if stop.by_user and run.n_sweeps < schedule.n_sweeps:
        return Ending.INTERRUPT
    return ending or Ending.SCHEDULE


def _stops(callback: DrawCallback, run: Advances) -> bool:
    """Return whether the callback, given the latest draws, requests a stop: only True does."""
    answers = [callback(draw) for draw in run.latest_draws()]  # all are shown
    return any(map(_is_true, answers))


def _is_true(answer: object) -> bool:
    return isinstance(answer, bool | np.bool_) and bool(answer)
