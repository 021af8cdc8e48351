"""How often a few words have a few topics, draw by draw, without a table of all words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.support.arrays import AnyInts, Int32s, Ints

__all__ = ["WordCounts"]

CELLS_AT_ONCE = 2**22
"""Cells (word, topic) that are counted together: 32 MB of counters."""


@dataclass(frozen=True, eq=False)
class WordCounts:
    """The tokens of the words that ``words`` (topics, places) names, found once for all draws."""

    _rows: Ints
    """For each topic and place, the number of its word among the different words."""
    _tokens: Int32s
    """Where the tokens of these words are, word after word."""
    _ends: Ints
    """Where the tokens of each word end among them."""

    @classmethod
    def create(cls, corpus: Corpus, words: Ints) -> WordCounts:
        """Find the tokens of the words."""
        different, rows = np.unique(words, return_inverse=True)
        by_word = corpus.by_word()
        entries = np.concatenate(
            [np.arange(by_word.word_offsets[v], by_word.word_offsets[v + 1]) for v in different]
        )
        sizes = by_word.counts[entries].astype(np.int64)
        ends = np.cumsum(sizes)
        shifts = by_word.starts[entries] - (ends - sizes)
        tokens = np.repeat(shifts, sizes)
        tokens += np.arange(len(tokens))
        n_entries = np.diff(by_word.word_offsets)[different]
        word_ends = np.concatenate([[0], ends])[np.cumsum(n_entries)]
        return cls(rows.reshape(words.shape), tokens.astype(np.int32), word_ends)

    def of(self, topics: AnyInts, partners: Ints) -> Ints:
        """Return how many tokens of each of topic k's words have the topic ``partners[k]``.

        ``topics`` holds one topic per token of the corpus.
        """
        result = np.empty(self._rows.shape, dtype=np.int64)
        n_topics = len(partners)
        at_once = max(1, CELLS_AT_ONCE // n_topics)
        starts = np.concatenate([[0], self._ends])
        for first in range(0, len(self._ends), at_once):
            last = min(first + at_once, len(self._ends))
            sizes = np.diff(starts[first : last + 1])
            cells = np.repeat(np.arange(last - first) * n_topics, sizes)
            cells += topics[self._tokens[starts[first] : starts[last]]]
            table = np.bincount(cells, minlength=(last - first) * n_topics)
            k, place = np.nonzero((self._rows >= first) & (self._rows < last))
            result[k, place] = table[(self._rows[k, place] - first) * n_topics + partners[k]]
        return result
