"""The vocabulary: one word per line."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from blocklda.formats.streams.line_chunks import decoded_lines, text_chunks
from blocklda.support.errors import FileFormatError
from blocklda.support.memory import require_memory

__all__ = ["read_vocabulary"]

# A short string takes about 60 bytes in memory and at least two in a file.
_MEMORY_PER_FILE_BYTE = 32


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """Read words from a UTF-8 file, one per line, all different; blank lines may end the file."""
    words: list[str] = []
    with closing(text_chunks(path)) as chunks:
        for chunk in chunks:
            require_memory(
                _MEMORY_PER_FILE_BYTE * len(chunk),
                f"reading on in {path} after {len(words)} words",
                "check that it is the vocabulary, one word per line",
            )
            words.extend(line.removesuffix("\r") for line in decoded_lines(path, chunk, len(words)))
    while words and not words[-1].strip():
        words.pop()
    _check_words(path, words)
    return tuple(words)


def _check_words(path: Path, words: list[str]) -> None:
    if not words:
        raise FileFormatError(f"{path}, line 1: the vocabulary is empty; it has one word per line.")
    if len(set(words)) == len(words) and not any(_is_no_word(word) for word in words):
        return
    seen: dict[str, int] = {}
    for line, word in enumerate(words, start=1):
        if not word.strip():
            raise FileFormatError(
                f"{path}, line {line}: the line is blank; the vocabulary has one word per line, so "
                "write the word or remove the line."
            )
        if "\0" in word:
            raise FileFormatError(
                f"{path}, line {line}: the line has zero bytes, so this is binary data; save the "
                "vocabulary as UTF-8 text."
            )
        if word in seen:
            raise FileFormatError(
                f"{path}, line {line}: the word {word!r:.80} is already on line {seen[word]}; "
                "every word stands once: rename one of them."
            )
        seen[word] = line


def _is_no_word(word: str) -> bool:
    return not word.strip() or "\0" in word
