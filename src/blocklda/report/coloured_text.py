"""A text cut into words that have a topic, and what is between them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from blocklda.data.text_settings import TextSettings
from blocklda.formats.words.pattern_limit import limited

__all__ = ["Marks", "beginning", "coloured_text", "found_words"]

_JAMO = {chr(code) for code in range(0x1160, 0x1200)}
"""Parts of Korean syllables that join the part before them."""

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
    searched, places = _searched(text, settings)
    found = _tokens(searched, settings)
    if isinstance(settings.phrases, tuple):
        found = _with_phrases(found, set(settings.phrases))
    for start, end, word in found:
        if places is None:
            yield start, end, word
        else:
            yield places[start][0], places[end - 1][1], word


def _tokens(text: str, settings: TextSettings) -> Iterator[tuple[int, int, str]]:
    """Yield the words of a text in lower case, if that is what is counted, and their places."""
    if settings.tokenizer is not None:
        yield from _of_function(text, settings)
        return
    pattern = re.compile(settings.token_pattern)
    with limited(settings.token_pattern, text):
        spans = [match.span(1 if pattern.groups else 0) for match in pattern.finditer(text)]
    for start, end in spans:
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


def _searched(text: str, settings: TextSettings) -> tuple[str, list[tuple[int, int]] | None]:
    """Return a text as words are looked for in it.

    If its characters are not one to one those of the text, the ends of what each of them stands for
    are returned too.
    """
    searched = settings.prepared(text)
    is_composed = settings.unicode != "NFC" or unicodedata.is_normalized("NFC", text)
    if is_composed and len(searched) == len(text):
        return searched, None
    pieces = [*enumerate(text)] if is_composed else [*_letters(text)]
    # A few capitals, such as İ, become two characters; a letter and its accent become one.
    places = [
        (start, start + len(piece)) for start, piece in pieces for _ in settings.prepared(piece)
    ]
    return searched, places if len(places) == len(searched) else None


def _letters(text: str) -> Iterator[tuple[int, str]]:
    """Yield letters with the marks that follow them, and where they begin."""
    start = 0
    for i in range(1, len(text)):
        if not unicodedata.combining(text[i]) and text[i] not in _JAMO:
            yield start, text[start:i]
            start = i
    if text:
        yield start, text[start:]
