"""Numbers in text files: one field read strictly, or many fields at once by NumPy."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from blocklda.support.arrays import Ints

__all__ = [
    "BINARY",
    "LARGEST_EXACT",
    "are_regular",
    "counted_number",
    "field_numbers",
    "field_table",
    "same_bytes",
    "shown",
    "whole_number",
]

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


# Enough for every number that 32 bits hold.
_MAX_DIGITS_AT_ONCE = 10


def are_regular(characters: NDArray[np.uint8], stops: Ints, n_fields: int) -> bool:
    """Return True if every line has as many fields, none empty, with one space between them.

    ``stops`` are the places of everything that may end a field.
    """
    if len(stops) % n_fields or stops[0] == 0 or (np.diff(stops) == 1).any():
        return False
    pattern = np.frombuffer(b" " * (n_fields - 1) + b"\n", dtype=np.uint8)
    return bool((characters[stops].reshape(-1, n_fields) == pattern).all())


def field_table(characters: NDArray[np.uint8], n_fields: int) -> tuple[Ints, Ints] | None:
    """Return where the fields of regular lines begin and end, (lines, fields); else None."""
    stops = np.flatnonzero((characters == ord(" ")) | (characters == ord("\n")))
    if not are_regular(characters, stops, n_fields):
        return None
    starts = np.concatenate([[0], stops[:-1] + 1])
    return starts.reshape(-1, n_fields), stops.reshape(-1, n_fields)


def field_numbers(characters: NDArray[np.uint8], starts: Ints, stops: Ints) -> Ints | None:
    """Return the whole numbers in fields; None if one of them is anything else, or too long."""
    lengths = stops - starts
    longest = int(lengths.max())
    if longest > _MAX_DIGITS_AT_ONCE:
        return None
    numbers = np.zeros(len(starts), dtype=np.int64)
    for place in range(longest):
        rows = slice(None) if place == 0 else np.flatnonzero(lengths > place)
        # Bytes below "0" wrap around and are above 9 too.
        digits = characters[stops[rows] - (place + 1)] - np.uint8(ord("0"))
        if digits.max() > 9:
            return None
        numbers[rows] += digits.astype(np.int64) * 10**place
    return numbers


def same_bytes(
    one: NDArray[np.uint8],
    one_starts: Ints,
    other: NDArray[np.uint8],
    other_starts: Ints,
    lengths: Ints,
) -> bool:
    """Return True if runs of bytes in one text are the same as runs of those lengths in another."""
    for place in range(int(lengths.max(initial=0))):
        rows = slice(None) if place == 0 else np.flatnonzero(lengths > place)
        if (one[one_starts[rows] + place] != other[other_starts[rows] + place]).any():
            return False
    return True
