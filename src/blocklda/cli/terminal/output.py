"""Where the command line writes: results to stdout, as JSON if asked, progress to stderr."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.segment import Segment

from blocklda.cli.terminal.echo import echo
from blocklda.support.harmless import harmless_text

__all__ = ["plain", "print_json", "progress_console", "result_bytes", "result_console", "waiting"]

NARROWEST = 60
"""Tables are laid out for at least so many columns: lines that a narrow terminal folds can still be
read, columns of one letter cannot."""


class _HarmlessConsole(Console):
    """A console on which texts of users' files show their control characters."""

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """Return the segments of what is to be shown; only those of rich itself may be commands."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(harmless_text(segment.text), segment.style)


def result_console() -> Console:
    """Return the console for results.

    What the encoding of stdout does not have, such as the dots where a cell was cut, becomes a
    question mark instead of an error.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    console = _HarmlessConsole(highlight=False)
    console.width = max(console.width, NARROWEST)
    return console


@contextmanager
def result_bytes() -> Iterator[IO[bytes]]:
    """Give stdout as a file of bytes; a terminal gets the control characters of texts as �."""
    sys.stdout.flush()
    if sys.stdout.isatty():
        kept = io.BytesIO()
        yield kept
        sys.stdout.write(harmless_text(kept.getvalue().decode()))
    else:
        yield sys.stdout.buffer
    sys.stdout.flush()


def progress_console() -> Console:
    """Return the console for progress, interactive only when a person watches both streams."""
    watched = sys.stdout.isatty() and sys.stderr.isatty()
    interactive = None if watched else False
    return _HarmlessConsole(stderr=True, highlight=False, force_interactive=interactive)


@contextmanager
def waiting(what: str, *, is_wanted: bool = True) -> Iterator[None]:
    """Show what is being done, if a person watches; it leaves no trace."""
    console = progress_console()
    if not (is_wanted and console.is_interactive):
        yield
        return
    with console.status(escape(what), spinner="line"):
        yield


def print_json(result: Any) -> None:
    """Print a result; what is no finite number becomes null."""
    echo(json.dumps(plain(result), allow_nan=False))


def plain(value: Any) -> Any:
    """Return what JSON can hold."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(
            {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        )
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value
