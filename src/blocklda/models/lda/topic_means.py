"""Running sums of θ and φ over the draws of one chain."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np

from blocklda.models.base import Arrays
from blocklda.models.lda.draw import Draw
from blocklda.support.arrays import Floats

__all__ = ["TopicMeans"]


class TopicMeans:
    """Running sums of θ and φ over the draws of one chain, updated as draws arrive."""

    def __init__(self, n_draws: int, doc_topic_sum: Floats, topic_word_sum: Floats) -> None:
        self.n_draws = n_draws
        self.doc_topic_sum = doc_topic_sum
        self.topic_word_sum = topic_word_sum

    @classmethod
    def of(cls, draws: Iterable[Draw]) -> TopicMeans:
        """Return the sums over some draws, at least one."""
        first, *others = draws
        means = cls(1, first.doc_topic(), first.topic_word())
        for draw in others:
            means.add(draw)
        return means

    def add(self, draw: Draw) -> None:
        """Take one more draw into the sums."""
        self.n_draws += 1
        self.doc_topic_sum += draw.doc_topic()
        self.topic_word_sum += draw.topic_word()

    @property
    def topic_word(self) -> Floats:
        """The mean of φ, shape (topics, words)."""
        return self.topic_word_sum / self.n_draws

    def copy(self) -> TopicMeans:
        """Return sums that further draws do not change."""
        other = copy.copy(self)
        other.doc_topic_sum = self.doc_topic_sum.copy()
        other.topic_word_sum = self.topic_word_sum.copy(order="K")
        return other

    def to_arrays(self) -> Arrays:
        """Return the sums as a file holds them."""
        return {
            "doc_topic_sum": np.ascontiguousarray(self.doc_topic_sum),
            "word_topic_sum": np.ascontiguousarray(self.topic_word_sum.T),
        }

    def are_plausible(self) -> bool:
        """Whether rows add up to the number of draws: else they are sums of no probabilities."""
        return all(
            (sums >= 0).all() and np.allclose(sums.sum(axis=1), self.n_draws, rtol=1e-6)
            for sums in (self.doc_topic_sum, self.topic_word_sum)
        )
