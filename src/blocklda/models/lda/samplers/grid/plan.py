"""How the samplers on a grid cut a corpus: by the corpus, never by the number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Literal, NamedTuple

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.samplers.auto import is_dense
from blocklda.models.lda.state import SweepOptions
from blocklda.support.arrays import Ints

__all__ = [
    "Cell",
    "Form",
    "Grid",
    "choose_form",
    "cut_axis",
    "cut_dense_grid",
    "cut_grid",
    "dense_grid_size",
    "grid_size",
    "is_on_shards",
]

Form = Literal["dense", "lists"]
"""Whether a cell goes through all topics of a token, or through lists of topics."""

LARGEST_GRID = 8
"""Groups on each axis at the most, and so the most threads that are of use. Every cell counts the
topics of its rows again, and for `approximate-parallel` more cells make more stale totals."""

TOKENS_PER_CELL = 2_000
"""A cell with fewer tokens takes hardly longer than to make its random stream."""


TOKENS_PER_VISIT, FEWEST_GROUPS = 32, 2
"""Tokens that a document should have in a dense cell, on average: they share the work of making the
document's weights. Of short documents there are fewer groups, but enough for two threads."""


class Cell(NamedTuple):
    """Some rows and a part of the other axis, each its first number and the one after the last."""

    number: int
    rows: tuple[int, int]
    minors: tuple[int, int]


@dataclass(frozen=True)
class Grid:
    """Where the groups of both axes begin, and behind them where the last one ends."""

    row_groups: Ints
    minor_groups: Ints
    by_word: bool
    """Whether words have the rows."""

    @property
    def size(self) -> int:
        """The number of groups on each axis."""
        return len(self.row_groups) - 1

    @property
    def word_groups(self) -> Ints:
        """Where the groups of words begin."""
        return self.row_groups if self.by_word else self.minor_groups

    def word_group(self, cell: Cell) -> int:
        """Return the number of the group of words that a cell has."""
        return cell.number // self.size if self.by_word else cell.number % self.size

    def steps(self) -> Iterator[list[Cell]]:
        """Yield the cells that are swept at the same time: no two share a row or a column."""
        for step in range(self.size):
            yield [self._cell(i, (i + step) % self.size) for i in range(self.size)]

    def _cell(self, i: int, j: int) -> Cell:
        (first, end), (first_minor, end_minor) = (
            map(int, groups[at : at + 2])
            for groups, at in ((self.row_groups, i), (self.minor_groups, j))
        )
        return Cell(i * self.size + j, (first, end), (first_minor, end_minor))


def is_on_shards(options: SweepOptions, size: int | None) -> bool:
    """Return whether groups of documents are shards: never if their number is given."""
    return size is None and bool(options.shards)


def choose_form(
    corpus: Corpus,
    n_topics: int,
    options: SweepOptions,
    size: int | None = None,
    form: Form | None = None,
) -> Form:
    """Return the form of the cells of `grid`, by the same rule as `auto`; shards have lists.

    ``size`` and ``form`` are those that were given to a sweep, if any.
    """
    on_lists = is_on_shards(options, size) or not is_dense(n_topics, corpus)
    return form or ("lists" if on_lists else "dense")


def grid_size(corpus: Corpus) -> int:
    """Return how many groups each axis of a corpus is cut into."""
    enough = isqrt(corpus.n_tokens // TOKENS_PER_CELL)
    return max(1, min(LARGEST_GRID, enough, corpus.n_docs, corpus.n_words))


def dense_grid_size(corpus: Corpus) -> int:
    """Return how many groups there are of each axis where cells are dense."""
    enough = corpus.n_tokens // (TOKENS_PER_VISIT * max(1, corpus.n_docs))
    return min(grid_size(corpus), max(FEWEST_GROUPS, enough))


def cut_grid(corpus: Corpus, by_word: bool, size: int | None = None) -> Grid:
    """Cut documents and words into groups of neighbours with about as many tokens each.

    ``by_word``: words have the rows. ``size`` is the number of groups, if it is not to be that of
    the corpus.
    """
    n_groups = grid_size(corpus) if size is None else size
    docs, words = (cut_axis(n, n_groups) for n in (corpus.doc_lengths(), corpus.word_counts()))
    return Grid(words, docs, True) if by_word else Grid(docs, words, False)


def cut_dense_grid(corpus: Corpus, size: int | None = None) -> Grid:
    """Do the same for dense cells, of which documents have the rows."""
    return cut_grid(corpus, False, dense_grid_size(corpus) if size is None else size)


def cut_axis(n_tokens: Ints, n_groups: int) -> Ints:
    """Return where groups of neighbours with about as many tokens each begin, and the end."""
    before = np.concatenate([[0], np.cumsum(n_tokens)])
    goals = np.arange(1, n_groups) * before[-1] // n_groups
    inner = np.searchsorted(before, goals, side="left")
    return np.concatenate([[0], inner, [len(n_tokens)]]).astype(np.int64)
