"""Ctrl-C and SIGTERM while something long runs: requests to stop at the next good place."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["EndOnSigterm", "StopFlag", "stop_on_ctrl_c"]


class StopFlag:
    """Set to stop a run; workers look at it after every sweep."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.by_user = False
        """True if Ctrl-C set it."""

    def set(self) -> None:
        """Request a stop."""
        self._event.set()

    def is_set(self) -> bool:
        """Return True if a stop was requested."""
        return self._event.is_set()


class EndOnSigterm:
    """A program's handler of SIGTERM: it ends at once, but in a run after the current sweep.

    A library leaves SIGTERM alone, since its caller might continue after the signal.
    """

    def __init__(self) -> None:
        self.arrived = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """End the program, with what it has to tidy up."""
        raise SystemExit(128 + number)


@contextmanager
def stop_on_ctrl_c() -> Iterator[StopFlag]:
    """Give a flag that Ctrl-C raises instead of breaking in; a second Ctrl-C breaks in.

    SIGTERM does the same in programs that have :class:`EndOnSigterm`. In other threads than the
    main one, and where a program handles Ctrl-C itself, nothing is changed.
    """
    flag = StopFlag()
    before: dict[int, Callable[[int, FrameType | None], object]] = {}
    if threading.current_thread() is threading.main_thread():
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            before[signal.SIGINT] = signal.default_int_handler
        on_sigterm = signal.getsignal(signal.SIGTERM)
        if isinstance(on_sigterm, EndOnSigterm):
            before[signal.SIGTERM] = on_sigterm

    def stop(number: int, frame: FrameType | None) -> None:
        handler = before[number]
        if flag.by_user:
            handler(number, frame)
        flag.by_user = True
        if isinstance(handler, EndOnSigterm):
            handler.arrived = True
        flag.set()

    for number in before:
        signal.signal(number, stop)
    try:
        yield flag
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
