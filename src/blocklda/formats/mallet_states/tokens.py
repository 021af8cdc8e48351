"""The token lines of a MALLET state: "doc source pos typeindex type topic"."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import MAX_TOKENS
from blocklda.formats.numbers.fields import (
    field_numbers,
    field_table,
    same_bytes,
    shown,
    whole_number,
)
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.errors import CapacityError, FileFormatError
from blocklda.support.memory import require_memory

__all__ = ["StateTokens", "Tokens"]

COLUMNS = "doc source pos typeindex type topic"

# The shortest line, "0 a 0 0 a 0", has twelve bytes. A token takes 12 in a piece and 12 among all
# pieces, 24 while tokens are put in the order of the corpus, and 12 in the corpus and the chain.
_MEMORY_PER_FILE_BYTE = 5
# A word: where its name is, how long it is, and the line it was first on.
_BYTES_PER_TYPE = 24


class Tokens(NamedTuple):
    """All tokens in the order of the file."""

    docs: Int32s
    types: Int32s
    topics: Int32s


class StateTokens:
    """Takes the lines after the header piece by piece and refuses the first wrong one.

    ``pos`` is not read: the order of the tokens of a document means nothing to the model.
    """

    def __init__(self, path: Path, n_topics: int, line: int) -> None:
        self._path = path
        self._n_topics = n_topics
        self._line = line
        self._pieces: list[Tokens] = []
        self.sources: dict[int, bytes] = {}
        # The names of the types one after the other, and where each begins; no line, no name yet.
        self._names = b""
        self._starts = np.zeros(0, dtype=np.int64)
        self._lengths = np.zeros(0, dtype=np.int64)
        self._lines = np.zeros(0, dtype=np.int64)

    def feed(self, chunk: bytes) -> None:
        """Take whole lines."""
        require_memory(
            _MEMORY_PER_FILE_BYTE * len(chunk),
            f"continuing to read {self._path} after line {self._line}",
            "use a larger machine",
        )
        text = chunk.replace(b"\r\n", b"\n") if b"\r" in chunk else chunk
        if not self._feed_usual(text):
            self._feed_lines(text)

    def finish(self) -> Tokens:
        """Return all tokens."""
        if not self._pieces:
            raise FileFormatError(
                f"{self._path}, line {self._line}: there is no token in the state; check that it "
                "is the right file."
            )
        pieces, self._pieces = self._pieces, []
        return Tokens(*(np.concatenate(column) for column in zip(*pieces, strict=True)))

    def names(self) -> dict[int, tuple[bytes, int]]:
        """Return the name of every type that was met, and the line where it was first."""
        found = np.flatnonzero(self._lines)
        return {
            number: (self._names[start : start + length], line)
            for number, start, length, line in zip(
                found.tolist(),
                self._starts[found].tolist(),
                self._lengths[found].tolist(),
                self._lines[found].tolist(),
                strict=True,
            )
        }

    def _feed_usual(self, text: bytes) -> bool:
        """Take the whole piece at once if all is well with it; else take nothing."""
        characters = np.frombuffer(text, dtype=np.uint8)
        table = field_table(characters, 6)
        if table is None:
            return False
        starts, stops = table
        columns = [field_numbers(characters, starts[:, i], stops[:, i]) for i in (0, 3, 5)]
        docs, types, topics = columns
        if docs is None or types is None or topics is None:
            return False
        largest = max(int(docs.max()), int(types.max()))
        if largest >= MAX_TOKENS or topics.max() >= self._n_topics:
            return False
        if not self._names_agree(text, characters, types, starts[:, 4], stops[:, 4]):
            return False
        changes = np.flatnonzero(np.diff(docs, prepend=-1))
        for row in changes.tolist():
            source = text[starts[row, 1] : stops[row, 1]]
            self.sources.setdefault(int(docs[row]), source)
        self._keep(docs, types, topics)
        self._line += len(docs)
        return True

    def _names_agree(
        self,
        text: bytes,
        characters: NDArray[np.uint8],
        types: Ints,
        starts: Ints,
        stops: Ints,
    ) -> bool:
        """Return True if every type has the name it had before; new ones are noted."""
        self._make_room(int(types.max()))
        new = np.flatnonzero(self._lines[types] == 0)
        _, first = np.unique(types[new], return_index=True)
        noted = new[first]
        before = self._names
        self._note(
            types[noted],
            [text[starts[row] : stops[row]] for row in noted.tolist()],
            self._line + 1 + noted,
        )
        lengths = stops - starts
        agree = bool((lengths == self._lengths[types]).all()) and same_bytes(
            characters, starts, np.frombuffer(self._names, dtype=np.uint8), self._starts[types],
            lengths,
        )  # fmt: skip
        if not agree:
            self._lines[types[noted]] = 0
            self._names = before
        return agree

    def _note(self, types: Ints, names: list[bytes], lines: Ints) -> None:
        lengths = np.array([len(name) for name in names], dtype=np.int64)
        self._starts[types] = len(self._names) + np.cumsum(lengths) - lengths
        self._lengths[types] = lengths
        self._lines[types] = lines
        self._names += b"".join(names)

    def _make_room(self, largest: int) -> None:
        missing = largest + 1 - len(self._lines)
        if missing <= 0:
            return
        missing = max(missing, len(self._lines))
        require_memory(
            _BYTES_PER_TYPE * (len(self._lines) + missing),
            f"{self._path}, line {self._line + 1}: a state of {largest + 1} types",
            "number the types without gaps, or use a machine with more memory",
        )
        self._starts = np.pad(self._starts, (0, missing))
        self._lengths = np.pad(self._lengths, (0, missing))
        self._lines = np.pad(self._lines, (0, missing))

    def _feed_lines(self, text: bytes) -> None:
        """Take the piece line by line: slower, any source, and a wrong line is found."""
        numbers: list[tuple[int, int, int]] = []
        for raw in text.split(b"\n")[:-1]:
            self._line += 1
            if raw.strip():
                numbers.append(self._token(raw))
        if numbers:
            docs, types, topics = np.array(numbers, dtype=np.int64).T
            self._keep(docs, types, topics)

    def _token(self, raw: bytes) -> tuple[int, int, int]:
        # A source may be a path with spaces in it; a type and the numbers have none.
        left, *right = raw.strip().rsplit(b" ", 4)
        head, space, source = left.partition(b" ")
        if len(right) != 4 or not space:
            raise self._refusal(
                f"{len(raw.split())} columns ({shown(raw)})", f'each line has "{COLUMNS}"'
            )
        doc = self._number("doc", head)
        number = self._number("typeindex", right[1])
        topic = self._number("topic", right[3])
        if topic >= self._n_topics:
            raise self._refusal(
                f"the topic {topic}",
                f"#alpha has {self._n_topics} numbers, so topics are from 0 to "
                f"{self._n_topics - 1}: correct the line or #alpha",
            )
        self._check_name(number, right[2])
        self.sources.setdefault(doc, source)
        return doc, number, topic

    def _check_name(self, number: int, name: bytes) -> None:
        self._make_room(number)
        if self._lines[number] == 0:
            one = np.array([number]), [name], np.array([self._line])
            self._note(*one)
            return
        start, length = int(self._starts[number]), int(self._lengths[number])
        known = self._names[start : start + length]
        if known != name:
            raise self._refusal(
                f"the type {shown(name)} with the typeindex {number}",
                f"that is {shown(known)} on line {self._lines[number]}: each type has its own",
            )

    def _number(self, item: str, field: bytes) -> int:
        number = whole_number(field)
        if number is None:
            raise self._refusal(
                f"the {item} {shown(field)}", f'{item} is a whole number in "{COLUMNS}"'
            )
        if number >= MAX_TOKENS:
            raise CapacityError(
                f"{self._path}, line {self._line}: the {item} {number} was found, but at most "
                f"{MAX_TOKENS} are possible; correct the line."
            )
        return number

    def _refusal(self, found: str, remedy: str) -> FileFormatError:
        return FileFormatError(f"{self._path}, line {self._line}: {found} was found; {remedy}.")

    def _keep(self, docs: Ints, types: Ints, topics: Ints) -> None:
        columns = (column.astype(np.int32) for column in (docs, types, topics))
        self._pieces.append(Tokens(*columns))
