"""Lines of "document word count" after a header with three numbers: UCI and Matrix Market."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.data.corpus import MAX_TOKENS, Corpus
from blocklda.formats.numbers.entry_layout import Block, EntryLayout, entries_matrix
from blocklda.formats.numbers.fields import (
    BINARY,
    LARGEST_EXACT,
    are_regular,
    counted_number,
    shown,
    whole_number,
)
from blocklda.support.arrays import Ints
from blocklda.support.errors import CapacityError, FileFormatError

__all__ = ["entry_lines", "read_entries"]

_ENTRIES_PER_WRITE = 2**16


def read_entries(
    layout: EntryLayout, rest: bytes, chunks: Iterator[bytes], *, transpose: bool = False
) -> sparse.csr_matrix[np.int32]:
    """Read the entries that follow the header: ``rest``, then the chunks.

    With ``transpose`` the rows of the file are the columns of the matrix.
    """
    body = _Body(layout)
    if rest:
        body.feed(rest)
    for chunk in chunks:
        body.feed(chunk)
    block = body.finish()
    if transpose:
        layout, block = layout.transposed(), block.transposed()
    return entries_matrix(layout, block)


class _Body:
    """Takes the text after the header piece by piece and refuses the first wrong line."""

    def __init__(self, layout: EntryLayout) -> None:
        self._path = layout.path
        self._layout = layout
        self._sizes = layout.sizes
        self._blocks: list[Block] = []
        self._n_entries = 0
        self._line = layout.header_line
        self._blank: int | None = None  # the first of the blank lines read last

    def feed(self, chunk: bytes) -> None:
        """Take whole lines."""
        text = chunk.replace(b"\r\n", b"\n") if b"\r" in chunk else chunk
        if not self._feed_usual(text):
            self._feed_lines(text)

    def finish(self) -> Block:
        """Return everything, if it is as much as announced."""
        if self._n_entries < self._sizes.n_entries:
            last = self._layout.header_line + self._n_entries
            raise FileFormatError(
                f"{self._path}, line {last}: the file ends after {self._n_entries} entries, but "
                f"the header (line {self._layout.header_line}) announces {self._sizes.n_entries}; "
                "download the file again or correct the header."
            )
        empty = np.empty(0, dtype=np.int32)
        blocks = self._blocks or [Block(empty, empty, empty)]
        self._blocks = []
        return Block(*(np.concatenate(column) for column in zip(*blocks, strict=True)))

    def _feed_usual(self, text: bytes) -> bool:
        """Take the whole piece at once if all is well with it; else take nothing."""
        entries = text.rstrip()
        if self._blank is not None or not entries:
            return False
        numbers = usual_numbers(entries + b"\n", self._layout.n_fields, self._layout.real)
        if numbers is None:
            return False
        if not self._layout.has_counts:
            numbers = np.column_stack([numbers, np.ones(len(numbers), dtype=np.int64)])
        if not self._allows(numbers):
            return False
        self._keep(numbers)
        self._line += len(numbers)
        n_blank = text.count(b"\n", len(entries)) - 1
        if n_blank > 0:
            self._blank = self._line + 1
            self._line += n_blank
        return True

    def _allows(self, numbers: Ints) -> bool:
        docs, words, counts = numbers.T
        return bool(
            self._n_entries + len(numbers) <= self._sizes.n_entries
            and min(docs.min(), words.min()) >= 1
            and counts.min() >= self._layout.least_count
            and docs.max() <= self._sizes.n_docs
            and words.max() <= self._sizes.n_words
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
        if n_before >= self._sizes.n_entries:
            raise FileFormatError(
                f"{self._path}, line {self._line}: an entry beyond the {self._sizes.n_entries} "
                f"that the header (line {self._layout.header_line}) announces; correct the header "
                "or remove the rest."
            )

    def _entry(self, raw: bytes, fields: list[bytes]) -> tuple[int, int, int]:
        if len(raw.translate(None, BINARY)) < len(raw):
            raise self._refusal("binary data", "decompress it or check that it is the right file")
        if len(fields) != self._layout.n_fields:
            wanted = '"document word count"' if self._layout.has_counts else '"document word"'
            raise self._refusal(f"{len(fields)} fields ({shown(raw)})", f"write {wanted}")
        doc = self._number("document", fields[0], self._sizes.n_docs)
        word = self._number("word", fields[1], self._sizes.n_words)
        return doc, word, self._count(fields[2]) if self._layout.has_counts else 1

    def _number(self, item: str, field: bytes, limit: int) -> int:
        number = self._parsed(field)
        if number is None or not 1 <= number <= limit:
            raise self._refusal(
                f"the {item} number {shown(field)}",
                f"{item}s are numbered from 1 to {limit}: correct the line or the header",
            )
        return number

    def _count(self, field: bytes) -> int:
        count = self._parsed(field)
        least = self._layout.least_count
        if count is None or count < least:
            raise self._refusal(
                f"the count {shown(field)}",
                f"counts are whole numbers from {least}: correct the line",
            )
        if count > MAX_TOKENS:
            raise CapacityError(
                f"{self._path}, line {self._line}: the count {count} was found, but at most "
                f"{MAX_TOKENS} can be counted; scale the counts down or leave the word out."
            )
        return count

    def _parsed(self, field: bytes) -> int | None:
        return counted_number(field) if self._layout.real else whole_number(field)

    def _refusal(self, found: str, remedy: str) -> FileFormatError:
        return FileFormatError(f"{self._path}, line {self._line}: {found} was found; {remedy}.")

    def _keep(self, numbers: Ints) -> None:
        docs, words, counts = numbers.T
        block = Block(
            (docs - 1).astype(np.int32), (words - 1).astype(np.int32), counts.astype(np.int32)
        )
        self._blocks.append(block)
        self._n_entries += len(numbers)


def usual_numbers(text: bytes, n_fields: int, real: bool) -> Ints | None:
    """Return the (lines, fields) numbers of text in the usual layout, one space between numbers.

    None for any other text. The separators alone tell: nothing but digits between them, never two
    in a row, and in turn spaces and a line feed.
    """
    characters = np.frombuffer(text, dtype=np.uint8)
    if real and (b"." in text or b"e" in text):
        return _usual_reals(text, characters, n_fields)
    separators = np.flatnonzero(characters < ord("0"))
    if characters.max() > ord("9") or not are_regular(characters, separators, n_fields):
        return None
    # A number too long for 64 bits is read as the largest one, which every range excludes.
    return np.fromstring(text, dtype=np.int64, sep=" ").reshape(-1, n_fields)


def _usual_reals(text: bytes, characters: NDArray[np.uint8], n_fields: int) -> Ints | None:
    """Do the same where whole numbers may be written like 3.0 or 3.0e+00."""
    separators = np.flatnonzero(characters <= ord(" "))
    if not are_regular(characters, separators, n_fields):
        return None
    if text.translate(None, b"0123456789.e+ \n"):
        return None
    with warnings.catch_warnings():
        # NumPy's way to say that it stopped at something that is no number.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            numbers = np.fromstring(text, dtype=np.float64, sep=" ")
        except (DeprecationWarning, ValueError):
            return None
    if len(numbers) != len(separators) or not (numbers < LARGEST_EXACT).all():
        return None
    whole = numbers.astype(np.int64)
    return whole.reshape(-1, n_fields) if (whole == numbers).all() else None


# --- and back


def entry_lines(corpus: Corpus) -> Iterator[bytes]:
    """Yield the entries of a corpus as lines, documents and words numbered from 1."""
    docs = np.repeat(np.arange(1, corpus.n_docs + 1), np.diff(corpus.doc_offsets))
    for start in range(0, corpus.n_entries, _ENTRIES_PER_WRITE):
        piece = slice(start, start + _ENTRIES_PER_WRITE)
        columns = (docs[piece], corpus.word_ids[piece].astype(np.int64) + 1, corpus.counts[piece])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        yield b"".join([b"%d %d %d\n" % row for row in rows])
