"""Counts of cells of several shards and spans of words, added up: enough for priors and levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.topic_counts import FilledCells, TopicHistograms
from blocklda.parallel.tasks import SweepFacts
from blocklda.support.arrays import Ints

__all__ = ["AddedCells"]


@dataclass(frozen=True)
class AddedCells:
    """What :class:`~blocklda.models.lda.topic_counts.CellCounts` says of one machine's tables."""

    filled: tuple[FilledCells, FilledCells]
    topic_totals: Ints
    topic_histograms: TopicHistograms

    @property
    def occupancy(self) -> tuple[Ints, Ints, Ints]:
        """How many cells of n_dk hold n > 0 tokens, the same of n_vk, and n_k."""
        docs, words = self.filled
        return _occupancy(docs), _occupancy(words), self.topic_totals

    @classmethod
    def of(cls, facts: SweepFacts) -> AddedCells:
        """Add up what shards and spans of words have told."""
        n_k = np.sum([one.n_k for one in facts.words], axis=0)
        histograms = [one.histogram for one in facts.shards if one.histogram is not None]
        return cls(
            filled=(
                FilledCells.added(one.filled for one in facts.shards),
                FilledCells.added(one.filled for one in facts.words),
            ),
            topic_totals=n_k,
            topic_histograms=_added_by_topic(histograms, len(n_k)),
        )


def _occupancy(cells: FilledCells) -> Ints:
    """Return how many cells hold 0, 1, … tokens; none is said to hold 0."""
    held = np.zeros(int(cells.n_tokens.max(initial=0)) + 1, dtype=np.int64)
    held[cells.n_tokens] = cells.n_cells
    return held


def _added_by_topic(histograms: Sequence[tuple[Ints, Ints]], n_topics: int) -> TopicHistograms:
    lengths = np.zeros(n_topics, dtype=np.int64)
    for offsets, _ in histograms:
        np.maximum(lengths, np.diff(offsets), out=lengths)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    total = np.zeros(int(ends[-1]), dtype=np.int64)
    for offsets, above in histograms:
        own = TopicHistograms.of(offsets, above)
        total[ends[own.topic] + own.level] += own.above
    return TopicHistograms.of(ends, total)
