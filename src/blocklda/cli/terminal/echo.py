"""Plain lines on the terminal."""

from __future__ import annotations

import typer

from blocklda.support.harmless import harmless_text

__all__ = ["echo"]


def echo(line: str, *, err: bool = False) -> None:
    """Print a line on standard output, or on standard error, with control characters shown."""
    typer.echo(harmless_text(line), err=err)
