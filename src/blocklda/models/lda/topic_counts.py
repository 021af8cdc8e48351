"""Counts of topics per document and per word: what every state and every draw has."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors
from blocklda.support.arrays import AnyInts, Int32s, Ints

__all__ = ["CellCounts", "FilledCells", "TopicCounts", "TopicHistograms"]


class TopicCounts:
    """The paper's counts of an assignment of topics to the tokens of a corpus.

    ``topics`` holds one topic per token, grouped by entry of the corpus.
    """

    corpus: Corpus
    priors: Priors
    topics: AnyInts

    @property
    def n_columns(self) -> int:
        """Columns of the count tables: topics, or slots that topics may have."""
        return self.priors.n_topics

    def token_docs(self) -> Ints:
        """Return the document of every token."""
        return np.repeat(np.arange(self.corpus.n_docs), self.corpus.doc_lengths())

    def token_words(self) -> Int32s:
        """Return the word of every token."""
        return np.repeat(self.corpus.word_ids, self.corpus.counts)

    def doc_topic_counts(self) -> Ints:
        """Return n_dk, shape (D, K)."""
        docs = np.arange(self.corpus.n_docs)
        return self._table(docs, self.corpus.doc_lengths(), self.topics, len(docs))

    def doc_topic_counts_of(self, docs: Ints) -> Ints:
        """Return the rows of n_dk of some documents, from their tokens only."""
        lengths = self.corpus.doc_lengths()
        ends = np.cumsum(lengths)[docs]
        lengths = lengths[docs]
        # The tokens of a document are neighbours; each run of them is shifted to where it stands.
        tokens = np.repeat(ends - np.cumsum(lengths), lengths) + np.arange(lengths.sum())
        return self._table(np.arange(len(docs)), lengths, self.topics[tokens], len(docs))

    def word_topic_counts(self) -> Ints:
        """Return n_vk, shape (V, K)."""
        words = self.corpus.word_ids.astype(np.int64)
        return self._table(words, self.corpus.counts, self.topics, self.corpus.n_words)

    def topic_counts(self) -> Ints:
        """Return n_k, shape (K,)."""
        return np.bincount(self.topics, minlength=self.n_columns)

    def cells(self) -> CellCounts:
        """Return how full the cells of n_dk and n_vk are; good until the topics change."""
        return CellCounts(self)

    def _table(
        self,
        rows: Ints,
        sizes: AnyInts,
        topics: AnyInts,
        n_rows: int,
    ) -> Ints:
        """Count topics by row, where ``sizes[i]`` tokens in a run belong to ``rows[i]``."""
        n_topics = self.n_columns
        cells = np.repeat(rows * n_topics, sizes)
        cells += topics
        return np.bincount(cells, minlength=n_rows * n_topics).reshape(n_rows, n_topics)


class CellCounts:
    """How full the cells of the count tables are, counted at first use and then kept.

    The log posterior and the likelihood of the priors need no more than this of an assignment; to
    ask for both after a sweep, make this once.
    """

    def __init__(self, counted: TopicCounts) -> None:
        self._arguments = (
            counted.corpus.native,
            counted.n_columns,
            counted.topics.astype(np.int32, copy=False),
        )

    @classmethod
    def noted(cls, counted: TopicCounts, noted: tuple[Ints, Ints, Ints, Ints, Ints]) -> CellCounts:
        """Return counts that a sweep has noted already, as the compiled module hands them over."""
        cells = cls(counted)
        cells._counted = noted
        return cells

    @cached_property
    def _counted(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Hold what native/counts/occupancy.hpp counts, in the order of its fields."""
        return _native.count_cells(*self._arguments)

    @property
    def occupancy(self) -> tuple[Ints, Ints, Ints]:
        """How many cells of n_dk hold n > 0 tokens, the same of n_vk, and n_k."""
        return self._counted[:3]

    @property
    def filled(self) -> tuple[FilledCells, FilledCells]:
        """The cells of n_dk and of n_vk that are not empty."""
        docs, words, _ = self.occupancy
        return FilledCells.of(docs), FilledCells.of(words)

    @property
    def topic_totals(self) -> Ints:
        """n_k."""
        return self.occupancy[2]

    @cached_property
    def topic_histograms(self) -> TopicHistograms:
        """How many documents hold more than i tokens of a topic, for each topic and i."""
        return TopicHistograms.of(*self._counted[3:])


class FilledCells(NamedTuple):
    """``n_cells[i]`` > 0 cells of a table hold ``n_tokens[i]`` > 0 tokens each; these rise."""

    n_tokens: Ints
    n_cells: Ints

    @classmethod
    def of(cls, occupancy: Ints) -> FilledCells:
        """Return them from how many cells hold 0, 1, … tokens; empty cells are left out."""
        held = occupancy[1:]
        n_tokens = np.flatnonzero(held)
        return cls(n_tokens + 1, held[n_tokens])

    @classmethod
    def added(cls, tables: Iterable[FilledCells]) -> FilledCells:
        """Return those of several tables together."""
        n_tokens, n_cells = map(np.concatenate, zip(*tables, strict=True))
        distinct, places = np.unique(n_tokens, return_inverse=True)
        total = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(total, places, n_cells)
        return cls(distinct, total)


class TopicHistograms(NamedTuple):
    """``above[j]`` > 0 documents hold more than ``level[j]`` tokens of the topic ``topic[j]``."""

    topic: Ints
    level: Ints
    above: Ints

    @classmethod
    def of(cls, offsets: Ints, above: Ints) -> TopicHistograms:
        """Return them from the levels of all topics, one after the other, and where each begins."""
        lengths = np.diff(offsets)
        return cls(
            topic=np.repeat(np.arange(len(lengths)), lengths),
            level=np.arange(len(above)) - np.repeat(offsets[:-1], lengths),
            above=above,
        )

    def filled(self) -> FilledCells:
        """Return the cells of all topics together."""
        above = np.bincount(self.level, weights=self.above).astype(np.int64)
        # The cells that hold n tokens hold more than n − 1, and not more than n.
        exactly = above - np.append(above[1:], 0)
        return FilledCells.of(np.concatenate([[0], exactly]))
