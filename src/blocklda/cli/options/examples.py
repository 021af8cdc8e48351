"""Examples at the end of a command's help."""

from __future__ import annotations

__all__ = ["examples"]


def examples(*lines: str) -> str:
    """Return command lines as an epilog; empty lines between them keep them apart."""
    return "\n\n".join(["[bold]Examples[/bold]", *(f"  {line}" for line in lines)])
