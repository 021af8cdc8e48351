"""Counts of cells of several shards and spans of words, added up: enough for the log posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.log_posterior import log_q
from blocklda.models.lda.topic_counts import FilledCells, TopicHistograms
from blocklda.parallel.cluster_sweeps import SweepFacts
from blocklda.parallel.plan import ShardedPlan
from blocklda.support.arrays import Ints

__all__ = ["AddedCells", "log_posterior_of"]


@dataclass(frozen=True)
class AddedCells:
    """What :class:`~blocklda.models.lda.topic_counts.CellCounts` says of one machine's tables."""

    filled: tuple[FilledCells, FilledCells]
    topic_totals: Ints
    topic_histograms: TopicHistograms

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


def log_posterior_of(plan: ShardedPlan, facts: SweepFacts) -> float:
    """Return log q after a sweep: the same number as a chain on one machine has."""
    sums = [one for words in facts.words for one in words.table_sums]
    return log_q(plan.priors, AddedCells.of(facts), plan.corpus.n_docs, plan.n_words, sums)


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
