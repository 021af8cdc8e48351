"""gensim's Dictionary as ``save_as_text`` writes it: "id<tab>word<tab>documents" on each line."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.formats.numbers.fields import shown, whole_number
from blocklda.formats.streams.line_chunks import decoded_lines, first_lines, open_file, text_chunks
from blocklda.formats.streams.text_output import encoded
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.memory import require_memory

__all__ = ["dictionary_text", "is_dictionary", "read_dictionary"]

# A short string takes about 60 bytes in memory, and its line at least six in the file.
_MEMORY_PER_FILE_BYTE = 16

# How a pickle of any protocol since Python 2.3 begins.
_PICKLE = b"\x80"


def is_dictionary(path: Path) -> bool:
    """Return True if a file begins like a text dictionary or is a pickle, refused later."""
    start = first_lines(path, 2)
    if start[:1] and start[0].startswith(_PICKLE):
        return True
    lines = start[1:] if start[:1] and whole_number(start[0].strip()) is not None else start[:1]
    return any(_is_entry(line.removesuffix(b"\r").split(b"\t")) for line in lines)


def _is_entry(fields: list[bytes]) -> bool:
    return (
        len(fields) == 3
        and whole_number(fields[0]) is not None
        and whole_number(fields[2]) is not None
    )


def read_dictionary(path: Path) -> tuple[str, ...]:
    """Return the words in the order of their ids, which must run from 0 without gaps."""
    _refuse_pickle(path)
    words: dict[int, str] = {}
    lines: dict[int, int] = {}
    n_lines = 0
    with closing(text_chunks(path)) as chunks:
        for chunk in chunks:
            require_memory(
                _MEMORY_PER_FILE_BYTE * len(chunk),
                f"continuing to read {path} after {len(words)} words",
                "check that it is the dictionary",
            )
            for line in decoded_lines(path, chunk, n_lines):
                n_lines += 1
                number, word = _entry(path, n_lines, line)
                if number is None:
                    continue
                if number in words:
                    raise FileFormatError(
                        f"{path}, line {n_lines}: the id {number} is already on line "
                        f"{lines[number]}; every word has its own id: save the dictionary again."
                    )
                words[number], lines[number] = word, n_lines
    return _in_order(path, words, lines)


def _refuse_pickle(path: Path) -> None:
    with open_file(path) as file:
        if file.peek(1).startswith(_PICKLE):
            raise FileFormatError(
                f"{path} is a pickle, which can run any code when it is read; save the dictionary "
                'as text with dictionary.save_as_text("….dict.txt").'
            )


def _entry(path: Path, line: int, text: str) -> tuple[int | None, str]:
    """Return an id and its word; no id for the number of documents on top, and blank lines."""
    fields = text.removesuffix("\r").split("\t")
    if len(fields) == 1 and (not text.strip() or (line == 1 and text.strip().isdigit())):
        return None, ""
    number = whole_number(fields[0].encode(errors="replace"))
    if len(fields) != 3 or number is None or not fields[1]:
        raise FileFormatError(
            f"{path}, line {line}: {shown(text.encode(errors='replace'))} was found; a dictionary "
            "has id, word and number of documents on each line, separated by tabs: save it with "
            "dictionary.save_as_text."
        )
    return number, fields[1]


def _in_order(path: Path, words: dict[int, str], lines: dict[int, int]) -> tuple[str, ...]:
    if not words:
        raise FileFormatError(f"{path}, line 1: there is no word in the dictionary; save it again.")
    largest = max(words)
    if largest >= len(words):
        missing = next(number for number in range(largest) if number not in words)
        raise FileFormatError(
            f"{path}, line {lines[largest]}: there is an id {largest}, but no word has the id "
            f"{missing}; ids run from 0 without gaps: call dictionary.compactify() before you "
            "create the corpus."
        )
    seen: dict[str, int] = {}
    for number in range(len(words)):
        word = words[number]
        if word in seen:
            raise FileFormatError(
                f"{path}, line {lines[number]}: the word {word!r:.80} is already on line "
                f"{lines[seen[word]]}; every word must be unique: rename one of them."
            )
        seen[word] = number
    return tuple(seen)


def dictionary_text(path: Path, corpus: Corpus) -> bytes:
    """Return the words of a corpus as ``save_as_text`` writes them."""
    words = corpus.vocabulary or ()
    frequencies = np.bincount(corpus.word_ids, minlength=corpus.n_words).tolist()
    for column, word in enumerate(words):
        if not word or "\t" in word or "\n" in word:
            raise InputError(
                f"cannot write {path}: word (column) {column} is {word!r:.80}, but words in a "
                "gensim dictionary must not be empty or contain tabs or line ends; rename it."
            )
    lines = [f"{i}\t{word}\t{frequencies[i]}\n" for i, word in enumerate(words)]
    return encoded(path, "".join([f"{corpus.n_docs}\n", *lines]))
