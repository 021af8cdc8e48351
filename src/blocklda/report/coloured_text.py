"""A text cut into words that have a topic, and what is between them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from blocklda.data.text_settings import TextSettings

__all__ = ["Marks", "as_counted", "beginning", "coloured_text", "found_words"]

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
    """Yield where words begin and end in a text, and what they are counted as.

    The text is in the normal form of the settings, see :func:`as_counted`.
    """
    searched, places = (text, None) if not settings.lowercase else _lowered(text)
    found = _tokens(searched, settings)
    if isinstance(settings.phrases, tuple):
        found = _with_phrases(found, set(settings.phrases))
    for start, end, word in found:
        if places is None:
            yield start, end, word
        else:
            yield places[start], places[end - 1] + 1, word


def as_counted(text: str, settings: TextSettings) -> str:
    """Return a text in the normal form in which its words were counted."""
    return unicodedata.normalize("NFC", text) if settings.unicode == "NFC" else text


def _tokens(text: str, settings: TextSettings) -> Iterator[tuple[int, int, str]]:
    """Yield the words of a text in lower case, if that is what is counted, and their places."""
    if settings.tokenizer is not None:
        yield from _of_function(text, settings)
        return
    pattern = re.compile(settings.token_pattern)
    for match in pattern.finditer(text):
        start, end = match.span(1 if pattern.groups else 0)
        yield start, end, text[start:end]


def _of_function(text: str, settings: TextSettings) -> Iterator[tuple[int, int, str]]:
    """Yield the words that a user's function finds and that are in the text as they are.

    Without the function a text is taken for words with spaces between them.
    """
    done = 0
    for word in text.split() if settings.function is None else settings.function(text):
        start = text.find(word, done) if word else -1
        if start >= 0:
            done = start + len(word)
            yield start, done, word


def _with_phrases(
    words: Iterator[tuple[int, int, str]], phrases: set[tuple[str, str]]
) -> Iterator[tuple[int, int, str]]:
    """Yield words, and pairs that are a phrase as one."""
    before: tuple[int, int, str] | None = None
    for word in words:
        if before is not None and (before[2], word[2]) in phrases:
            yield before[0], word[1], f"{before[2]}_{word[2]}"
            before = None
            continue
        if before is not None:
            yield before
        before = word
    if before is not None:
        yield before


def _lowered(text: str) -> tuple[str, list[int] | None]:
    """Return a text in lower case and, if it got longer, where each letter came from."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered, None
    # A few capitals, such as İ, become two characters.
    return lowered, [i for i, letter in enumerate(text) for _ in letter.lower()]
