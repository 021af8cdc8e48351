"""SIGTERM on the command line: what batch systems send when the time of a run is over."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from blocklda.cli.terminal.one_line_errors import INTERRUPTED
from blocklda.run.interrupts import EndOnSigterm

__all__ = ["sigterm_like_ctrl_c"]

TERMINATED = 128 + signal.SIGTERM
"""What shells expect of a program ended by SIGTERM."""


@contextmanager
def sigterm_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM end a fit as Ctrl-C does, after its sweep, with an exit code of its own."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    handler = EndOnSigterm()
    signal.signal(signal.SIGTERM, handler)
    try:
        yield
    except typer.Exit as ending:
        if handler.arrived and ending.exit_code == INTERRUPTED:
            raise typer.Exit(TERMINATED) from None
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
