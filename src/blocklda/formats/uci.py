"""The UCI bag-of-words format: docword.X.txt, with vocab.X.txt beside it.

Three lines give the numbers of documents (D), words (W) and entries (NNZ); then each line is one
entry, "document word count", documents and words numbered from 1. So entry i, counted from 0,
stands on line i + 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.numbers.entry_layout import EntryLayout, Sizes, check_sizes
from blocklda.formats.numbers.entry_lines import entry_lines, read_entries
from blocklda.formats.numbers.fields import shown, whole_number
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import first_line, text_chunks
from blocklda.formats.words.vocabulary import (
    corpus_of,
    fitting_words,
    plain_and_gzip,
    write_with_vocabulary,
)
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["OPTIONS", "read", "recognises", "write"]

OPTIONS: frozenset[str] = frozenset()

_HEADER_LINES = (1, 2, 3)


def recognises(path: Path) -> bool:
    """Return True if a file is called docword, or is a .txt whose first line is a number."""
    if path.name.startswith("docword."):
        return True
    if not path.name.endswith((".txt", ".txt.gz")) or not path.is_file():
        return False
    return whole_number(first_line(path).strip()) is not None


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read a docword file; without a vocabulary, take the vocab file beside it if there is one."""
    with closing(text_chunks(path)) as chunks:
        sizes, rest = _read_header(path, chunks)
        announced = f"{path}, line 2: the header announces"
        beside = _vocabulary_beside(path)
        words = fitting_words(path, announced, sizes.n_words, options.vocabulary, beside)
        layout = EntryLayout(path=path, sizes=sizes, header_line=_HEADER_LINES[-1])
        return corpus_of(path, read_entries(layout, rest, chunks), words)


def write(corpus: Corpus, path: Path) -> None:
    """Write a docword file and, if the words have names, the vocab file beside it."""
    beside = _vocabulary_beside(path)
    if corpus.vocabulary is not None and not beside:
        raise InputError(
            f"{path}: a UCI file with a vocabulary must be called docword.X.txt, so that "
            "vocab.X.txt is found next to it; choose such a name."
        )
    header = f"{corpus.n_docs}\n{corpus.n_words}\n{corpus.n_entries}\n".encode()
    write_with_vocabulary(corpus, path, chain([header], entry_lines(corpus)), beside)


def _vocabulary_beside(path: Path) -> list[Path]:
    """Return where the vocab.X.txt of docword.X.txt may be, plain or gzip."""
    if not path.name.startswith("docword."):
        return []
    return plain_and_gzip(
        path.with_name("vocab." + path.name.removeprefix("docword.").removesuffix(".gz"))
    )


# --- the header


def _read_header(path: Path, chunks: Iterator[bytes]) -> tuple[Sizes, bytes]:
    """Return the three numbers on top, if memory can bear them, and the text after them."""
    text = b""
    while text.count(b"\n") < 3:
        more = next(chunks, None)
        if more is None:
            break
        text += more
    *lines, rest = text.split(b"\n", 3) if text.count(b"\n") >= 3 else text.split(b"\n")
    numbers = [_header_number(path, line, raw) for line, raw in enumerate(lines, start=1)]
    if len(numbers) < 3:
        raise FileFormatError(
            f"{path}, line {len(numbers) + 1}: the file ends within its header; the first three "
            "lines give the numbers of documents, words and entries: check that it is a docword "
            "file."
        )
    sizes = Sizes(*numbers)
    check_sizes(path, sizes, _HEADER_LINES)
    return sizes, rest


_HEADER_ITEMS = ("documents", "words", "entries")


def _header_number(path: Path, line: int, raw: bytes) -> int:
    item = _HEADER_ITEMS[line - 1]
    least = 0 if item == "entries" else 1
    number = whole_number(raw.strip())
    if number is None or number < least:
        raise FileFormatError(
            f"{path}, line {line}: the header has {shown(raw)} as the number of {item}; it must "
            f"be a whole number of at least {least}: check that it is a docword file."
        )
    return number
