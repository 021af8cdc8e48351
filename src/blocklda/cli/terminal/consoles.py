"""Where the command line writes: results to stdout, progress to stderr."""

from __future__ import annotations

import io
import sys

from rich.console import Console

__all__ = ["progress_console", "result_console"]

NARROWEST = 60
"""Tables are laid out for at least so many columns: lines that a narrow terminal folds can still be
read, columns of one letter cannot."""


def result_console() -> Console:
    """Return the console for results.

    What the encoding of stdout does not have, such as the dots where a cell was cut, becomes a
    question mark instead of an error.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    console = Console(highlight=False)
    console.width = max(console.width, NARROWEST)
    return console


def progress_console() -> Console:
    """Return the console for progress, interactive only when a person watches both streams."""
    watched = sys.stdout.isatty() and sys.stderr.isatty()
    return Console(stderr=True, highlight=False, force_interactive=None if watched else False)
