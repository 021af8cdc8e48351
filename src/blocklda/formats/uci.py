"""The UCI bag-of-words format: docword.X.txt, with vocab.X.txt beside it.

Three lines give the numbers of documents (D), words (W) and entries (NNZ); then each line is one
entry, "document word count", documents and words numbered from 1. So entry i, counted from 0,
stands on line i + 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.corpus import MAX_TOKENS, Corpus
from blocklda.errors import CapacityError, FileFormatError, InputError
from blocklda.formats.line_chunks import first_line, text_chunks
from blocklda.formats.options import ReadOptions
from blocklda.formats.vocabulary import read_vocabulary
from blocklda.memory import require_memory
from blocklda.names import checked_vocabulary

__all__ = ["OPTIONS", "read", "recognises"]

OPTIONS: frozenset[str] = frozenset()

_FIRST_ENTRY_LINE = 4

# Least memory per item. A document: its offset in the matrix, in the corpus, and the two sums it
# is made of, 8 bytes each. A word: one counter. An entry: document, word and count (12 bytes),
# the key that tells the order (8), and word and count once more in the corpus (8).
_BYTES_PER_DOCUMENT = 32
_BYTES_PER_WORD = 8
_BYTES_PER_ENTRY = 28
# Putting entries in order takes a permutation and the keys once more.
_BYTES_PER_SORTED_ENTRY = 24

# More digits than any number that memory could bear out.
_MAX_DIGITS = 30

# Bytes that text does not have; tabs, line ends and form feeds are text.
_BINARY = bytes(b for b in range(32) if b not in b"\t\n\v\f\r")


class _Header(NamedTuple):
    n_docs: int
    n_words: int
    n_entries: int


class _Block(NamedTuple):
    """Entries in the order of the file, documents and words numbered from 0."""

    docs: NDArray[np.int32]
    words: NDArray[np.int32]
    counts: NDArray[np.int32]


def recognises(path: Path) -> bool:
    """Whether a file is called docword, or is a .txt that begins with a number on its own line."""
    if path.name.startswith("docword."):
        return True
    if not path.name.endswith((".txt", ".txt.gz")) or not path.is_file():
        return False
    return _whole_number(first_line(path).strip()) is not None


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read a docword file; without a vocabulary, take the vocab file beside it if there is one."""
    with closing(text_chunks(path)) as chunks:
        header, rest = _read_header(path, chunks)
        words = _vocabulary(path, header, options.vocabulary)
        body = _Body(path, header)
        if rest:
            body.feed(rest)
        for chunk in chunks:
            body.feed(chunk)
    matrix = _matrix(path, header, body.finish())
    try:
        return Corpus.from_matrix(matrix, words)
    except CapacityError as error:
        raise CapacityError(f"{path}: {error}") from error


def _vocabulary(
    path: Path, header: _Header, vocabulary: Iterable[str] | None
) -> tuple[str, ...] | None:
    """Return the words as given or found, refused before the long reading if they do not fit."""
    if vocabulary is not None:
        try:
            return checked_vocabulary(vocabulary, header.n_words)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    file = _vocabulary_beside(path)
    if file is None:
        return None
    words = read_vocabulary(file)
    if len(words) != header.n_words:
        raise FileFormatError(
            f"{path}, line 2: the header announces {header.n_words} words, but {file} has "
            f"{len(words)}; put the right vocabulary there or pass it as vocabulary=."
        )
    return words


def _vocabulary_beside(path: Path) -> Path | None:
    """Find the vocab.X.txt of docword.X.txt, either of them perhaps gzip."""
    if not path.name.startswith("docword."):
        return None
    plain = path.with_name("vocab." + path.name.removeprefix("docword.").removesuffix(".gz"))
    for file in (plain, plain.with_name(plain.name + ".gz")):
        if file.is_file():
            return file
    return None


# --- the header


def _read_header(path: Path, chunks: Iterator[bytes]) -> tuple[_Header, bytes]:
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
    header = _Header(*numbers)
    _check_header(path, header)
    return header, rest


_HEADER_ITEMS = ("documents", "words", "entries")


def _header_number(path: Path, line: int, raw: bytes) -> int:
    item = _HEADER_ITEMS[line - 1]
    least = 0 if item == "entries" else 1
    number = _whole_number(raw.strip())
    if number is None or number < least:
        raise FileFormatError(
            f"{path}, line {line}: the header has {_shown(raw)} as the number of {item}; it must "
            f"be a whole number of at least {least}: check that it is a docword file."
        )
    return number


def _check_header(path: Path, header: _Header) -> None:
    if header.n_entries > header.n_docs * header.n_words:
        raise FileFormatError(
            f"{path}, line 3: the header announces {header.n_entries} entries, more than "
            f"{header.n_docs} documents of {header.n_words} words can have; correct the header."
        )
    sizes = (_BYTES_PER_DOCUMENT, _BYTES_PER_WORD, _BYTES_PER_ENTRY)
    for line, (number, item, size) in enumerate(
        zip(header, _HEADER_ITEMS, sizes, strict=True), start=1
    ):
        what = f"{path}, line {line}: a corpus of {number} {item}"
        if number > MAX_TOKENS:
            raise CapacityError(
                f"{what} is announced, and at most {MAX_TOKENS} can be numbered; correct the "
                "header or use a part of the corpus."
            )
        require_memory(size * number, what, "correct the header or use a larger machine")


# --- the entries


class _Body:
    """Takes the text after the header piece by piece and refuses the first wrong line."""

    def __init__(self, path: Path, header: _Header) -> None:
        self._path = path
        self._header = header
        self._blocks: list[_Block] = []
        self._n_entries = 0
        self._line = _FIRST_ENTRY_LINE - 1
        self._blank: int | None = None  # the first of the blank lines read last

    def feed(self, chunk: bytes) -> None:
        """Take whole lines."""
        text = chunk.replace(b"\r\n", b"\n") if b"\r" in chunk else chunk
        if not self._feed_usual(text):
            self._feed_lines(text)

    def finish(self) -> _Block:
        """Return everything, if it is as much as announced."""
        if self._n_entries < self._header.n_entries:
            last = _FIRST_ENTRY_LINE - 1 + self._n_entries
            raise FileFormatError(
                f"{self._path}, line {last}: the file ends after {self._n_entries} entries, but "
                f"the header (line 3) announces {self._header.n_entries}; fetch the file again or "
                "correct the header."
            )
        empty = np.empty(0, dtype=np.int32)
        blocks = self._blocks or [_Block(empty, empty, empty)]
        self._blocks = []
        return _Block(*(np.concatenate(column) for column in zip(*blocks, strict=True)))

    def _feed_usual(self, text: bytes) -> bool:
        """Take the whole piece at once if all is well with it; else take nothing."""
        entries = text.rstrip()
        if self._blank is not None or not entries:
            return False
        numbers = _usual_numbers(entries + b"\n")
        if numbers is None or not self._allows(numbers):
            return False
        self._keep(numbers)
        self._line += len(numbers)
        n_blank = text.count(b"\n", len(entries)) - 1
        if n_blank > 0:
            self._blank = self._line + 1
            self._line += n_blank
        return True

    def _allows(self, numbers: NDArray[np.int64]) -> bool:
        docs, words, counts = numbers.T
        return bool(
            self._n_entries + len(numbers) <= self._header.n_entries
            and numbers.min() >= 1
            and docs.max() <= self._header.n_docs
            and words.max() <= self._header.n_words
            and counts.max() <= MAX_TOKENS
        )

    def _feed_lines(self, text: bytes) -> None:
        """Take the piece line by line: slower, any spacing, and a wrong line is found."""
        numbers: list[tuple[int, int, int]] = []
        for raw in text.split(b"\n")[:-1]:
            self._line += 1
            fields = raw.split()
            if not fields:
                self._blank = self._blank or self._line
                continue
            self._check_place(self._n_entries + len(numbers))
            numbers.append(self._entry(raw, fields))
        if numbers:
            self._keep(np.array(numbers, dtype=np.int64))

    def _check_place(self, n_before: int) -> None:
        """Refuse an entry after a blank line or after as many as announced."""
        if self._blank is not None:
            raise FileFormatError(
                f"{self._path}, line {self._blank}: the line is blank, but entries follow; blank "
                "lines may only end the file: remove it."
            )
        if n_before >= self._header.n_entries:
            raise FileFormatError(
                f"{self._path}, line {self._line}: an entry beyond the {self._header.n_entries} "
                "that the header (line 3) announces; correct the header or remove what follows."
            )

    def _entry(self, raw: bytes, fields: list[bytes]) -> tuple[int, int, int]:
        if len(raw.translate(None, _BINARY)) < len(raw):
            raise self._refusal("binary data", "decompress it or check that it is the right file")
        if len(fields) != 3:
            raise self._refusal(
                f"{len(fields)} fields ({_shown(raw)})", 'write "document word count"'
            )
        doc = self._number("document", fields[0], self._header.n_docs)
        word = self._number("word", fields[1], self._header.n_words)
        return doc, word, self._count(fields[2])

    def _number(self, item: str, field: bytes, limit: int) -> int:
        number = _whole_number(field)
        if number is None or not 1 <= number <= limit:
            raise self._refusal(
                f"the {item} number {_shown(field)}",
                f"{item}s are numbered from 1 to {limit}: correct the line or the header",
            )
        return number

    def _count(self, field: bytes) -> int:
        count = _whole_number(field)
        if count is None or count < 1:
            raise self._refusal(
                f"the count {_shown(field)}", "counts are whole numbers from 1: correct the line"
            )
        if count > MAX_TOKENS:
            raise CapacityError(
                f"{self._path}, line {self._line}: the count {count} was found, and at most "
                f"{MAX_TOKENS} can be counted; scale the counts down or leave the word out."
            )
        return count

    def _refusal(self, found: str, remedy: str) -> FileFormatError:
        return FileFormatError(f"{self._path}, line {self._line}: {found} was found; {remedy}.")

    def _keep(self, numbers: NDArray[np.int64]) -> None:
        docs, words, counts = numbers.T
        block = _Block(
            (docs - 1).astype(np.int32), (words - 1).astype(np.int32), counts.astype(np.int32)
        )
        self._blocks.append(block)
        self._n_entries += len(numbers)


def _usual_numbers(text: bytes) -> NDArray[np.int64] | None:
    """Return the (lines, 3) numbers of text in the usual layout, one space between numbers.

    None for any other text. The separators alone tell: nothing but digits between them, never two
    in a row, and in turn a space, a space and a line feed.
    """
    characters = np.frombuffer(text, dtype=np.uint8)
    separators = np.flatnonzero(characters < ord("0"))
    if characters.max() > ord("9") or len(separators) % 3 or separators[0] == 0:
        return None
    if (np.diff(separators) == 1).any():
        return None
    if (characters[separators].reshape(-1, 3) != np.frombuffer(b"  \n", dtype=np.uint8)).any():
        return None
    # A number too long for 64 bits is read as the largest one, which every range excludes.
    return np.fromstring(text, dtype=np.int64, sep=" ").reshape(-1, 3)


def _whole_number(field: bytes) -> int | None:
    """Return the number that plain digits write, None for anything else."""
    if not field.isdigit() or len(field) > _MAX_DIGITS:
        return None
    return int(field)


def _shown(raw: bytes) -> str:
    """At most 40 characters of what stands in the file, fit to be printed."""
    text = raw.strip()
    start = text[:40].decode("ascii", errors="backslashreplace")
    return f'"{start}…"' if len(text) > 40 else f'"{start}"'


# --- from entries to a matrix


def _matrix(path: Path, header: _Header, block: _Block) -> sparse.csr_matrix[np.int32]:
    """Entries in order of document and word, each pair once."""
    keys = block.docs.astype(np.int64) * header.n_words + block.words
    if not (keys[1:] > keys[:-1]).all():
        require_memory(
            _BYTES_PER_SORTED_ENTRY * len(keys),
            f"{path}: putting {len(keys)} entries in order",
            "sort the file by document and word, or use a larger machine",
        )
        order = np.argsort(keys, kind="stable")
        _check_duplicates(path, block, keys[order], order)
        block = _Block(*(column[order] for column in block))
    offsets = np.zeros(header.n_docs + 1, dtype=np.int64)
    np.cumsum(np.bincount(block.docs, minlength=header.n_docs), out=offsets[1:])
    return sparse.csr_matrix(
        (block.counts, block.words, offsets), shape=(header.n_docs, header.n_words)
    )


def _check_duplicates(
    path: Path, block: _Block, keys: NDArray[np.int64], order: NDArray[np.int64]
) -> None:
    """Refuse the first entry in the file that repeats an earlier one."""
    repeats = np.flatnonzero(keys[1:] == keys[:-1])
    if not len(repeats):
        return
    # The order is stable, so of two equal keys the one further down stands later in the file.
    place = repeats[np.argmin(order[repeats + 1])]
    first, second = int(order[place]), int(order[place + 1])
    raise FileFormatError(
        f"{path}, line {second + _FIRST_ENTRY_LINE}: document {block.docs[second] + 1}, word "
        f"{block.words[second] + 1} is already on line {first + _FIRST_ENTRY_LINE}; each pair "
        "stands once: add the two counts up in one line."
    )
