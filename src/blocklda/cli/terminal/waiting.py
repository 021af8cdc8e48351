"""A word on what is going on, while it does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.markup import escape

from blocklda.cli.terminal.consoles import progress_console

__all__ = ["waiting"]


@contextmanager
def waiting(what: str, *, is_wanted: bool = True) -> Iterator[None]:
    """Show what is being done, if a person watches; it leaves no trace."""
    console = progress_console()
    if not (is_wanted and console.is_interactive):
        yield
        return
    with console.status(escape(what), spinner="line"):
        yield
