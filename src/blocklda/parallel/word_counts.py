"""Topic counts of some words, n_vk without its zeros: what travels between workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.topic_counts import FilledCells
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["WordCounts", "add_up", "count_topics"]


SMALL_COUNT = 2**16
"""Nearly all cells hold fewer tokens: they are counted in a table, the few others sorted."""


class WordCounts(NamedTuple):
    """The cells of some neighbouring words that are not zero, in the smallest types."""

    offsets: Int32s
    """Where the cells of each word begin, and where the last ones end."""
    topics: NDArray[np.unsignedinteger[Any]]
    counts: NDArray[np.unsignedinteger[Any]]
    n_sent: int = 0
    """Bytes of all counts that were added up to these."""

    @property
    def nbytes(self) -> int:
        """What these take."""
        return self.offsets.nbytes + self.topics.nbytes + self.counts.nbytes

    def filled(self) -> FilledCells:
        """Return how many cells hold how many tokens, from 1 on."""
        is_small = self.counts < SMALL_COUNT
        small = FilledCells.of(np.bincount(self.counts[is_small].astype(np.uint16), minlength=1))
        # Counts go up to the tokens of the corpus: a table by count could be larger than it.
        large, n_cells = np.unique(self.counts[~is_small].astype(np.int64), return_counts=True)
        return FilledCells.added([small, FilledCells(large, n_cells)])

    @classmethod
    def of(cls, table: NDArray[Any], n_sent: int = 0) -> WordCounts:
        """Return the cells of a table (words, topics) of whole numbers."""
        # Truth values are searched in a fraction of the time that numbers take.
        words, topics = np.divmod(np.flatnonzero(table != 0), table.shape[1])
        ends = np.searchsorted(words, np.arange(len(table) + 1))
        return cls.of_cells(ends, topics, table[words, topics], table.shape[1], n_sent)

    @classmethod
    def of_cells(
        cls,
        offsets: NDArray[Any],
        topics: NDArray[Any],
        counts: NDArray[Any],
        n_topics: int,
        n_sent: int,
    ) -> WordCounts:
        """Return cells, of which each word has those from one offset to the next."""
        smallest = np.min_scalar_type(int(counts.max(initial=0)))
        return cls(
            offsets.astype(np.int32),
            topics.astype(topic_dtype(n_topics)),
            counts.astype(smallest),
            n_sent,
        )

    def of_words(self, first: int, last: int) -> WordCounts:
        """Return the cells of the words from one to another, which is left out."""
        cells = slice(self.offsets[first], self.offsets[last])
        offsets = self.offsets[first : last + 1] - self.offsets[first]
        return WordCounts(offsets, self.topics[cells], self.counts[cells])

    def words(self) -> Ints:
        """Return the word of each cell."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def matrix(self, n_topics: int) -> sparse.csr_array[np.int64]:
        """Return the cells as a matrix (words, topics)."""
        cells = self.counts.astype(np.int64), self.topics.astype(np.int32), self.offsets
        return sparse.csr_array(cells, shape=(len(self.offsets) - 1, n_topics))

    def plus(self, priors: Priors, first: int, n_columns: int, weight: float = 1.0) -> Floats:
        """Return n_vk + β_kv, the words being those from ``first`` on.

        Columns behind the topics, where more are asked for, are zero. Counts have a ``weight``
        below 1 in annealed sweeps.
        """
        n_words = len(self.offsets) - 1
        table = np.zeros((n_words, n_columns))
        table[:, : priors.n_topics] = priors.beta_of((first, first + n_words))
        table[self.words(), self.topics] += weight * self.counts
        return table

    def table(self, n_topics: int) -> Ints:
        """Return the table (words, topics)."""
        table: Ints = self.matrix(n_topics).toarray()
        return table


def add_up(parts: Sequence[WordCounts], n_topics: int) -> WordCounts:
    """Return the counts of several shards together."""
    total = sum((part.matrix(n_topics) for part in parts[1:]), parts[0].matrix(n_topics))
    n_sent = sum(part.nbytes + part.n_sent for part in parts)
    return WordCounts.of_cells(total.indptr, total.indices, total.data, n_topics, n_sent)


def count_topics(corpus: Corpus, topics: Int32s, n_topics: int) -> WordCounts:
    """Count the topics that all words have in a shard; its entries need no other order for it."""
    smallest = topics.astype(topic_dtype(n_topics))
    cells = _native.topic_sums(corpus.native, n_topics, [smallest], np.ones((1, n_topics)), True)
    return WordCounts.of_cells(*cells, n_topics, 0)
