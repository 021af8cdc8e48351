"""What nearly every command has: examples in its help, --json, and completion of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

import typer

__all__ = ["JsonFlag", "examples", "number_or_text", "one_of"]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def examples(*lines: str) -> str:
    """Return command lines as an epilog; empty lines between them keep them apart."""
    return "\n\n".join(["[bold]Examples[/bold]", *(f"  {line}" for line in lines)])


def one_of(*names: str | Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes one of these names, and those in iterables."""
    known = [name for given in names for name in ([given] if isinstance(given, str) else given)]

    def complete(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return complete


def number_or_text(given: str) -> float | str:
    """Return a number where the text is one; the library checks both."""
    try:
        return float(given)
    except ValueError:
        return given
