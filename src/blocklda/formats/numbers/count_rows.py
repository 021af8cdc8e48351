"""Lines of "something id:count id:count …", one document each: LDA-C and svmlight."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blocklda.data.corpus import MAX_TOKENS, Corpus
from blocklda.formats.numbers.fields import BINARY, counted_number, shown, whole_number
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.errors import CapacityError, FileFormatError
from blocklda.support.memory import require_memory

__all__ = ["RowLayout", "Rows", "read_rows", "row_lines"]

# " 1:1" are four bytes of text; an entry takes 8 bytes in a piece, 8 among all pieces, 8 more in
# the corpus, and 4 while they are put together.
_MEMORY_PER_FILE_BYTE = 7

_FIRST_FIELD = re.compile(rb"^[^\x00-\x20:#]+", re.MULTILINE)
_SPACE, _COLON, _LINE_END = b" :\n"

_MAX_ID = MAX_TOKENS - 1


@dataclass(frozen=True, kw_only=True)
class RowLayout:
    """What differs: a line begins with the number of its pairs, or with a label, which is ignored.

    Files with labels may have comments after #, blank lines, and zeros.
    """

    path: Path
    has_labels: bool
    first_id: int
    """Where ids begin; only for messages."""


class Rows(NamedTuple):
    """Documents in the order of the file, ids as they stand there; on which line each stands."""

    offsets: Ints
    ids: Int32s
    counts: Int32s
    lines: Ints
    comments: tuple[bytes, ...]
    """The lines that hold nothing but a comment, up to the first document."""

    def line_of(self, entry: int) -> int:
        """Return the line of an entry."""
        return int(self.lines[np.searchsorted(self.offsets, entry, side="right") - 1])


class _Piece(NamedTuple):
    lengths: Ints
    ids: Int32s
    counts: Int32s
    lines: Ints


def read_rows(layout: RowLayout, chunks: Iterable[bytes]) -> Rows:
    """Read the documents of a file and refuse the first wrong line."""
    reader = RowReader(layout)
    for chunk in chunks:
        require_memory(
            _MEMORY_PER_FILE_BYTE * len(chunk),
            f"continuing to read {layout.path} after line {reader.line}",
            "use a part of the corpus, or a machine with more memory",
        )
        reader.feed(chunk)
    return reader.finish()


class RowReader:
    def __init__(self, layout: RowLayout) -> None:
        self._layout = layout
        self._pieces: list[_Piece] = []
        self._comments: list[bytes] = []
        self.line = 0
        self._blank: int | None = None  # the first of the blank lines read last

    def feed(self, chunk: bytes) -> None:
        """Take whole lines."""
        text = chunk.replace(b"\r\n", b"\n") if b"\r" in chunk else chunk
        piece = None if self._blank else self.read_usual(text.replace(b" \n", b"\n"))
        if piece is None:
            self._feed_lines(text)
        else:
            self._pieces.append(piece)
            self.line += len(piece.lengths)

    def finish(self) -> Rows:
        """Return all documents."""
        if not self._pieces:
            raise FileFormatError(
                f"{self._layout.path}, line 1: there is no document in the file; check that it is "
                "the right one."
            )
        lengths, ids, counts, lines = (
            np.concatenate(parts) for parts in zip(*self._pieces, strict=True)
        )
        self._pieces = []
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return Rows(offsets, ids, counts, lines, tuple(self._comments))

    def read_usual(self, text: bytes) -> _Piece | None:
        """Read a whole piece at once if all is well with it and its spacing is the usual one."""
        if self._layout.has_labels:
            text = _FIRST_FIELD.sub(b"0", text)
        characters = np.frombuffer(text, dtype=np.uint8)
        separators = np.flatnonzero((characters < ord("0")) | (characters > ord("9")))
        kinds = characters[separators]
        if separators[0] == 0 or (np.diff(separators) == 1).any() or kinds[-1] != _LINE_END:
            return None
        is_colon, is_end = kinds == _COLON, kinds == _LINE_END
        is_space = kinds == _SPACE
        # A colon follows each space, and stands nowhere else.
        if is_colon[0] or not (is_colon | is_end | is_space).all():
            return None
        if (is_space[:-1] != is_colon[1:]).any():
            return None
        # A number too long for 64 bits is read as the largest one, which every range excludes.
        numbers = np.fromstring(text.replace(b":", b" "), dtype=np.int64, sep=" ")
        ids, counts = numbers[is_colon], numbers[1:][is_colon[:-1]]
        ends = np.cumsum(is_colon)[is_end]
        lengths = np.diff(ends, prepend=0)
        begins = np.concatenate([[True], is_end[:-1]])
        if not self._layout.has_labels and (numbers[begins] != lengths).any():
            return None
        if not self._allows(ids, counts, ends):
            return None
        lines = self.line + 1 + np.arange(len(lengths))
        return _Piece(lengths, ids.astype(np.int32), counts.astype(np.int32), lines)

    def _allows(self, ids: Ints, counts: Ints, ends: Ints) -> bool:
        if not len(ids):
            return True
        least = 0 if self._layout.has_labels else 1
        if ids.max() > _MAX_ID or counts.max() > MAX_TOKENS or counts.min() < least:
            return False
        # Ascending in every document is enough to know that no word is there twice.
        ascends = ids[1:] > ids[:-1]
        starts = ends[(ends > 0) & (ends < len(ids))]
        ascends[starts - 1] = True
        return bool(ascends.all())

    def _feed_lines(self, text: bytes) -> None:
        """Take the piece line by line: slower, any spacing, and a wrong line is found."""
        lengths: list[int] = []
        lines: list[int] = []
        pairs: list[tuple[int, int]] = []
        for raw in text.split(b"\n")[:-1]:
            self.line += 1
            fields = self._fields(raw)
            if fields is None:
                continue
            document = self._document(raw, fields)
            lengths.append(len(document))
            lines.append(self.line)
            pairs.extend(document)
        if lengths:
            entries = np.array(pairs, dtype=np.int64).reshape(-1, 2).astype(np.int32)
            numbers = (np.array(lengths, dtype=np.int64), np.array(lines, dtype=np.int64))
            self._pieces.append(_Piece(numbers[0], entries[:, 0], entries[:, 1], numbers[1]))

    def _fields(self, raw: bytes) -> list[bytes] | None:
        """Return the fields of a document; None if there is none on this line."""
        if len(raw.translate(None, BINARY)) < len(raw):
            raise self._refusal("binary data", "decompress it or check that it is the right file")
        if self._layout.has_labels:
            text, sign, comment = raw.partition(b"#")
            if sign and not text.strip() and not self._pieces:
                self._comments.append(comment)
            return text.split() or None
        fields = raw.split()
        if not fields:
            self._blank = self._blank or self.line
            return None
        if self._blank is not None:
            raise FileFormatError(
                f"{self._layout.path}, line {self._blank}: the line is blank, but documents "
                'follow; write an empty document as "0", or remove the line.'
            )
        return fields

    def _document(self, raw: bytes, fields: list[bytes]) -> list[tuple[int, int]]:
        first, *rest = fields
        if b":" in first:
            wanted = "a label" if self._layout.has_labels else "the number of pairs"
            raise self._refusal(f"{shown(first)} at the beginning", f"{wanted} stands there first")
        if self._layout.has_labels and rest and rest[0].startswith(b"qid:"):
            rest = rest[1:]
        document = [self._pair(field) for field in rest]
        if not self._layout.has_labels and whole_number(first) != len(document):
            raise self._refusal(
                f"{shown(first)} as the number of pairs on a line with {len(document)}",
                "correct the line",
            )
        self._check_repeats(document)
        return document

    def _pair(self, field: bytes) -> tuple[int, int]:
        left, colon, right = field.partition(b":")
        word = whole_number(left)
        if not colon or word is None:
            raise self._refusal(
                shown(field),
                f'write "id:count", ids whole numbers from {self._layout.first_id}',
            )
        if word > _MAX_ID:
            raise CapacityError(
                f"{self._layout.path}, line {self.line}: the id {word} was found, but ids can be "
                f"at most {_MAX_ID}; correct the line."
            )
        count = counted_number(right)
        least = 0 if self._layout.has_labels else 1
        if count is None or count < least:
            raise self._refusal(
                f"{shown(field)}", f"counts are whole numbers from {least}: correct the line"
            )
        if count > MAX_TOKENS:
            raise CapacityError(
                f"{self._layout.path}, line {self.line}: the count {count} was found, but at most "
                f"{MAX_TOKENS} can be counted; scale the counts down or leave the word out."
            )
        return word, count

    def _check_repeats(self, document: list[tuple[int, int]]) -> None:
        ids = sorted(word for word, _ in document)
        for before, word in pairwise(ids):
            if before == word:
                raise self._refusal(f"the id {word} twice in one document", "add the two counts up")

    def _refusal(self, found: str, remedy: str) -> FileFormatError:
        return FileFormatError(
            f"{self._layout.path}, line {self.line}: {found} was found; {remedy}."
        )


def row_lines(corpus: Corpus, first_id: int, label: bytes | None = None) -> Iterator[bytes]:
    """Yield a line per document: a label, or else the number of pairs, then the pairs."""
    for start, stop in pairwise(corpus.doc_offsets.tolist()):
        ids = (corpus.word_ids[start:stop] + np.int64(first_id)).tolist()
        counts = corpus.counts[start:stop].tolist()
        first = b"%d" % (stop - start) if label is None else label
        pairs = [b"%d:%d" % pair for pair in zip(ids, counts, strict=True)]
        yield b" ".join([first, *pairs]) + b"\n"
