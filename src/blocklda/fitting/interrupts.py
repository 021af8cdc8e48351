"""Ctrl-C while something long runs: a wish to stop at the next good place."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["StopFlag", "stop_on_ctrl_c"]


class StopFlag:
    """Raised by whoever wants a run to stop; workers look at it after every sweep."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.by_user = False
        """Whether Ctrl-C raised it."""

    def raise_it(self) -> None:
        """Ask for a stop."""
        self._event.set()

    def is_raised(self) -> bool:
        """Whether somebody asked."""
        return self._event.is_set()


@contextmanager
def stop_on_ctrl_c() -> Iterator[StopFlag]:
    """Give a flag that Ctrl-C raises instead of breaking in; a second Ctrl-C breaks in.

    In other threads than the main one, and where a program handles Ctrl-C itself, nothing is
    changed.
    """
    flag = StopFlag()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield flag
        return

    def on_ctrl_c(number: int, frame: FrameType | None) -> None:
        if flag.by_user:
            signal.default_int_handler(number, frame)
        flag.by_user = True
        flag.raise_it()

    signal.signal(signal.SIGINT, on_ctrl_c)
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
