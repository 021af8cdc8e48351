"""The log of a run on standard error, where no terminal shows a bar."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from blocklda.cli.terminal.echo import echo
from blocklda.run.run_log import LOGGER

__all__ = ["log_on_stderr"]


class _Lines(logging.Handler):
    """Writes records as the command line writes everything else."""

    def emit(self, record: logging.LogRecord) -> None:
        echo(f"blocklda: {self.format(record)}", err=True)


@contextmanager
def log_on_stderr(*, is_wanted: bool) -> Iterator[None]:
    """Write what the library logs to standard error, with the time."""
    if not is_wanted:
        yield
        return
    handler, level = _Lines(), LOGGER.level
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)
