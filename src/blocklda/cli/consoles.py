"""Where the command line writes: results to stdout, progress to stderr."""

from __future__ import annotations

import sys

from rich.console import Console

__all__ = ["progress_console", "result_console"]


def result_console() -> Console:
    """Return the console for results."""
    return Console(highlight=False)


def progress_console() -> Console:
    """Return the console for progress, interactive only when a person watches both streams."""
    watched = sys.stdout.isatty() and sys.stderr.isatty()
    return Console(stderr=True, highlight=False, force_interactive=None if watched else False)
