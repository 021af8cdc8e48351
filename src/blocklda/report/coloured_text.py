"""A text cut into words that have a topic, and what is between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from blocklda.data.text_settings import TextSettings

__all__ = ["Marks", "beginning", "coloured_text", "found_words"]

Marks = list[tuple[int, int] | None]
"""For words their most probable topic and its probability in per cent, if they are known."""


def coloured_text(
    text: str, marks: Mapping[str, tuple[int, int] | None], settings: TextSettings
) -> list[Any]:
    """Return what is before a word, the word, its topic and per cent, and so on; at last the rest.

    ``marks`` has the words that count; other words are left with what is between.
    """
    parts: list[Any] = []
    done = 0
    for start, end, word in found_words(text, settings):
        mark = marks.get(word)
        if mark is not None:
            parts += [text[done:start], text[start:end], *mark]
            done = end
    return [*parts, text[done:]]


def beginning(text: str, n_bytes: int) -> str:
    """Return so much of a text that it has so many bytes, up to the end of a word if one is there.

    In bytes, since a page of Chinese is to be no larger than one of English.
    """
    encoded = text.encode(errors="replace")
    if len(encoded) <= n_bytes:
        return text
    start = text[: len(encoded[:n_bytes].decode(errors="ignore"))]
    return start.rsplit(maxsplit=1)[0] if start.strip() else start


def found_words(text: str, settings: TextSettings) -> Iterator[tuple[int, int, str]]:
    """Yield where words begin and end in a text, and what they are counted as."""
    pattern = re.compile(settings.token_pattern)
    searched, places = (text, None) if not settings.lowercase else _lowered(text)
    for match in pattern.finditer(searched):
        start, end = match.span(1 if pattern.groups else 0)
        word = searched[start:end]
        if places is not None:
            start, end = places[start], places[end - 1] + 1
        yield start, end, word


def _lowered(text: str) -> tuple[str, list[int] | None]:
    """Return a text in small letters and, if it got longer, where each letter came from."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered, None
    # A few capitals, such as İ, become two characters.
    return lowered, [i for i, letter in enumerate(text) for _ in letter.lower()]
