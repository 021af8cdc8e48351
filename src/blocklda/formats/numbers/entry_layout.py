"""What files of "document word count" lines announce, and the matrix their entries make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from blocklda.data.corpus import MAX_TOKENS
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.errors import CapacityError, FileFormatError
from blocklda.support.memory import require_memory

__all__ = ["Block", "EntryLayout", "Sizes", "check_sizes", "entries_matrix"]

# Least memory per item. A document: its offset in the matrix, in the corpus, and the two sums it
# is made of, 8 bytes each. A word: one counter. An entry: document, word and count (12 bytes),
# the key that tells the order (8), and word and count once more in the corpus (8).
_BYTES_PER_ITEM = (32, 8, 28)
# Putting entries in order takes a permutation and the keys once more.
_BYTES_PER_SORTED_ENTRY = 24


class Sizes(NamedTuple):
    """What a header announces."""

    n_docs: int
    n_words: int
    n_entries: int


@dataclass(frozen=True, kw_only=True)
class EntryLayout:
    """How the entries of a file are written, and where they begin.

    ``header_line`` is the line that announces how many entries there are. With ``real`` a count may
    be written 3.0, and with ``has_counts`` false there are none and each entry is one token.
    """

    path: Path
    sizes: Sizes
    header_line: int
    least_count: int = 1
    real: bool = False
    has_counts: bool = True

    def transposed(self) -> EntryLayout:
        """Return the layout of the same entries with rows and columns exchanged."""
        sizes = Sizes(self.sizes.n_words, self.sizes.n_docs, self.sizes.n_entries)
        return replace(self, sizes=sizes)

    @property
    def n_fields(self) -> int:
        """Numbers on a line."""
        return 3 if self.has_counts else 2


class Block(NamedTuple):
    """Entries in the order of the file, documents and words numbered from 0."""

    docs: Int32s
    words: Int32s
    counts: Int32s

    def transposed(self) -> Block:
        """Return the entries with documents and words exchanged."""
        return Block(self.words, self.docs, self.counts)


def check_sizes(path: Path, sizes: Sizes, lines: tuple[int, int, int]) -> None:
    """Refuse announced sizes that cannot be or that memory cannot bear; each stands on a line."""
    if sizes.n_entries > sizes.n_docs * sizes.n_words:
        raise FileFormatError(
            f"{path}, line {lines[2]}: the header announces {sizes.n_entries} entries, more than "
            f"{sizes.n_docs} documents of {sizes.n_words} words can have; correct the header."
        )
    items = ("documents", "words", "entries")
    for line, number, item, size in zip(lines, sizes, items, _BYTES_PER_ITEM, strict=True):
        what = f"{path}, line {line}: a corpus of {number} {item}"
        if number > MAX_TOKENS:
            raise CapacityError(
                f"{what} is announced, but at most {MAX_TOKENS} are possible; correct the header "
                "or use a part of the corpus."
            )
        require_memory(
            size * number, what, ("correct the header, or use a machine with more memory")
        )


def entries_matrix(layout: EntryLayout, block: Block) -> sparse.csr_matrix[np.int32]:
    """Entries in order of document and word, each pair once."""
    sizes = layout.sizes
    keys = block.docs.astype(np.int64) * sizes.n_words + block.words
    if not (keys[1:] > keys[:-1]).all():
        require_memory(
            _BYTES_PER_SORTED_ENTRY * len(keys),
            f"{layout.path}: putting {len(keys)} entries in order",
            "sort the file by document and word, or use a machine with more memory",
        )
        order = np.argsort(keys, kind="stable")
        _check_duplicates(layout, block, keys[order], order)
        block = Block(*(column[order] for column in block))
    offsets = np.zeros(sizes.n_docs + 1, dtype=np.int64)
    np.cumsum(np.bincount(block.docs, minlength=sizes.n_docs), out=offsets[1:])
    return sparse.csr_matrix(
        (block.counts, block.words, offsets), shape=(sizes.n_docs, sizes.n_words)
    )


def _check_duplicates(layout: EntryLayout, block: Block, keys: Ints, order: Ints) -> None:
    """Refuse the first entry in the file that repeats an earlier one."""
    repeats = np.flatnonzero(keys[1:] == keys[:-1])
    if not len(repeats):
        return
    # The order is stable, so of two equal keys the one further down stands later in the file.
    place = repeats[np.argmin(order[repeats + 1])]
    first, second = int(order[place]), int(order[place + 1])
    first_line = layout.header_line + 1
    raise FileFormatError(
        f"{layout.path}, line {second + first_line}: document {block.docs[second] + 1}, word "
        f"{block.words[second] + 1} is already on line {first + first_line}: add the two counts up "
        "in one line."
    )
