"""Numbers in text files: read as strictly as they are written, and shown when they are wrong."""

from __future__ import annotations

import re

__all__ = ["BINARY", "LARGEST_EXACT", "counted_number", "shown", "whole_number"]

# More digits than any number that memory could bear out.
_MAX_DIGITS = 30

BINARY = bytes(b for b in range(32) if b not in b"\t\n\v\f\r")
"""Bytes that text does not have; tabs, line ends and form feeds are text."""

_REAL = re.compile(rb"\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

LARGEST_EXACT = 2.0**53
"""Doubles below this tell whole numbers apart; every count is far below."""


def whole_number(field: bytes) -> int | None:
    """Return the number that plain digits write, None for anything else."""
    if not field.isdigit() or len(field) > _MAX_DIGITS:
        return None
    return int(field)


def counted_number(field: bytes) -> int | None:
    """Return a whole number from 0 that may be written 3, 3.0 or 3e0, None for anything else."""
    number = whole_number(field)
    if number is not None or _REAL.fullmatch(field) is None:
        return number
    value = float(field)
    return int(value) if value < LARGEST_EXACT and value == int(value) else None


def shown(raw: bytes) -> str:
    """At most 40 characters of what stands in the file, fit to be printed."""
    text = raw.strip()
    start = text[:40].decode("ascii", errors="backslashreplace")
    return f'"{start}…"' if len(text) > 40 else f'"{start}"'
