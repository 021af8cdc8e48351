"""Topic counts of some words, n_vk without its zeros: what travels between workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocklda import _native
from blocklda.corpus import Corpus
from blocklda.partially_collapsed.pieces import Piece
from blocklda.priors import padded_length
from blocklda.store import topic_dtype

__all__ = ["WordCounts", "add_up", "count_topics"]

IntArray = NDArray[np.int64]


class WordCounts(NamedTuple):
    """The cells of some neighbouring words that are not zero, in the smallest types."""

    offsets: NDArray[np.int32]
    """Where the cells of each word begin, and where the last ones end."""
    topics: NDArray[np.unsignedinteger[Any]]
    counts: NDArray[np.unsignedinteger[Any]]
    n_sent: int = 0
    """Bytes of all counts that were added up to these."""

    @property
    def nbytes(self) -> int:
        """What these take."""
        return self.offsets.nbytes + self.topics.nbytes + self.counts.nbytes

    @classmethod
    def of(cls, table: IntArray, n_sent: int = 0) -> WordCounts:
        """Return the cells of a table (words, topics)."""
        words, topics = np.nonzero(table)
        counts = table[words, topics]
        ends = np.searchsorted(words, np.arange(len(table) + 1)).astype(np.int32)
        smallest = np.min_scalar_type(int(counts.max(initial=0)))
        return cls(
            ends, topics.astype(topic_dtype(table.shape[1])), counts.astype(smallest), n_sent
        )

    def add_to(self, table: IntArray) -> None:
        """Add the cells to a table."""
        words = np.repeat(np.arange(len(table)), np.diff(self.offsets))
        table[words, self.topics] += self.counts.astype(np.int64)

    def table(self, n_topics: int) -> IntArray:
        """Return the table (words, topics)."""
        table = np.zeros((len(self.offsets) - 1, n_topics), dtype=np.int64)
        self.add_to(table)
        return table


def add_up(parts: Sequence[WordCounts], n_topics: int) -> WordCounts:
    """Return the counts of several shards together."""
    table = parts[0].table(n_topics)
    for part in parts[1:]:
        part.add_to(table)
    return WordCounts.of(table, sum(part.nbytes + part.n_sent for part in parts))


def count_topics(
    corpus: Corpus, topics: NDArray[np.int32], n_topics: int, pieces: Sequence[Piece]
) -> WordCounts:
    """Count the topics of some neighbouring words, a piece of them at a time."""
    by_word = corpus.by_word()
    nothing = np.zeros((1, padded_length(n_topics)))
    found = []
    for first, last in pieces:
        offsets = by_word.word_offsets[first : last + 1]
        entries = slice(int(offsets[0]), int(offsets[-1]))
        rows = np.zeros((last - first, padded_length(n_topics)))
        _native.concentrations(
            offsets,
            by_word.counts[entries],
            by_word.starts[entries],
            topics,
            nothing,
            n_topics,
            rows,
        )
        found.append(WordCounts.of(rows[:, :n_topics].astype(np.int64)))
    return _below_each_other(found)


def _below_each_other(parts: Sequence[WordCounts]) -> WordCounts:
    ends = np.cumsum([0, *(part.offsets[-1] for part in parts)])
    offsets = [part.offsets[:-1] + end for part, end in zip(parts, ends[:-1], strict=True)]
    return WordCounts(
        np.concatenate([*offsets, ends[-1:]]).astype(np.int32),
        np.concatenate([part.topics for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )
