"""What the end of a file's name says about its format."""

from __future__ import annotations

__all__ = ["is_named"]


def is_named(name: str, *suffixes: str) -> bool:
    """Whether a name ends in one of the suffixes, in capitals or not, perhaps with .gz after it."""
    return name.lower().removesuffix(".gz").endswith(suffixes)
