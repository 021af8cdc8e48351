"""The lines on top of a MALLET state, and what blocklda adds to them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from blocklda.data.corpus import MAX_TOKENS
from blocklda.formats.numbers.fields import shown, whole_number
from blocklda.formats.streams.line_chunks import header_lines
from blocklda.support.errors import FileFormatError

__all__ = ["EMPTY_DOCUMENT", "TITLE", "UNUSED_WORD", "StateHeader", "read_state_header"]

TITLE = b"#doc source pos typeindex type topic"
EMPTY_DOCUMENT, UNUSED_WORD = b"#empty-document", b"#unused-word"
"""What a state cannot say otherwise; MALLET passes over all lines on top that begin with #."""


class StateHeader(NamedTuple):
    """What is said above the tokens; ``line`` is the last line of it."""

    alpha: list[float]
    beta: float
    empty_documents: dict[int, bytes]
    unused_words: dict[int, bytes]
    line: int


def read_state_header(path: Path, chunks: Iterator[bytes]) -> tuple[StateHeader, bytes]:
    """Read the lines that begin with #; return what they say and the text read along."""
    lines, rest = header_lines(path, chunks, b"#")
    first = lines[0] if lines else rest.partition(b"\n")[0]
    if first != TITLE:
        raise FileFormatError(
            f"{path}, line 1: {shown(first)} was found; a MALLET state "
            f'begins with "{TITLE.decode()}": check that it is one.'
        )
    priors: dict[bytes, list[float]] = {}
    unseen: dict[bytes, dict[int, bytes]] = {EMPTY_DOCUMENT: {}, UNUSED_WORD: {}}
    for line, raw in enumerate(lines, start=1):
        key, _, value = raw.partition(b":")
        key, value = key.strip(), value.strip()
        if key in (b"#alpha", b"#beta"):
            priors[key] = _numbers(path, line, key, value)
        elif key in unseen:
            number, name = _number_and_name(path, line, value)
            unseen[key][number] = name
    header = StateHeader(
        alpha=_given(path, len(lines), priors, b"#alpha"),
        beta=_given(path, len(lines), priors, b"#beta")[0],
        empty_documents=unseen[EMPTY_DOCUMENT],
        unused_words=unseen[UNUSED_WORD],
        line=len(lines),
    )
    return header, rest


def _numbers(path: Path, line: int, key: bytes, value: bytes) -> list[float]:
    """Return the numbers of a prior, all above 0."""
    numbers = []
    for field in value.split():
        try:
            number = float(field)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            raise FileFormatError(
                f"{path}, line {line}: {key.decode()} has {shown(field)}; priors are numbers above "
                "0: correct the line."
            )
        numbers.append(number)
    if not numbers or (key == b"#beta" and len(numbers) != 1):
        wanted = "one number for all words" if key == b"#beta" else "a number for each topic"
        raise FileFormatError(
            f"{path}, line {line}: {key.decode()} has {len(numbers)} numbers; it has {wanted}: "
            "correct the line."
        )
    return numbers


def _number_and_name(path: Path, line: int, value: bytes) -> tuple[int, bytes]:
    field, _, name = value.partition(b" ")
    number = whole_number(field)
    if number is None or number >= MAX_TOKENS or not name:
        raise FileFormatError(
            f"{path}, line {line}: {shown(value)} was found instead of a number and a name; "
            "correct the line."
        )
    return number, name


def _given(path: Path, line: int, priors: dict[bytes, list[float]], key: bytes) -> list[float]:
    if key not in priors:
        raise FileFormatError(
            f'{path}, line {line}: there is no "{key.decode()} : …" above the tokens, as in states '
            "of old versions of MALLET, so the priors are unknown; add that line."
        )
    return priors[key]
