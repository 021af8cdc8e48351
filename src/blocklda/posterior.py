"""Averages over draws: what the posterior says of documents, topics and held-out words."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.alignment import match_topics
from blocklda.errors import InputError
from blocklda.evaluate.predictive import check_heldout
from blocklda.store import Draw

__all__ = ["ChainMeans", "Posterior", "log_predictive"]

FloatArray = NDArray[np.float64]


class ChainMeans:
    """Running sums of θ and φ over the draws of one chain, updated as draws arrive."""

    def __init__(self, first: Draw) -> None:
        self.n_draws = 1
        self.doc_topic_sum = first.doc_topic()
        self.topic_word_sum = first.topic_word()

    def add(self, draw: Draw) -> None:
        """Take one more draw into the sums."""
        self.n_draws += 1
        self.doc_topic_sum += draw.doc_topic()
        self.topic_word_sum += draw.topic_word()

    @property
    def topic_word(self) -> FloatArray:
        """The mean of φ, shape (topics, words)."""
        return self.topic_word_sum / self.n_draws

    def copy(self) -> ChainMeans:
        """Return sums that further draws do not change."""
        other = copy.copy(self)
        other.doc_topic_sum = self.doc_topic_sum.copy()
        other.topic_word_sum = self.topic_word_sum.copy(order="K")
        return other


class Posterior:
    """Posterior means over the draws of one or more chains.

    The means of θ and φ name topics by number, and each chain numbers them in its own way. So the
    topics of every chain are first matched to those of the first chain, as
    :func:`blocklda.alignment.match_topics` does it. Within a chain they are taken as they are.
    """

    def __init__(self, draws: Iterable[Draw] = ()) -> None:
        self._chains: dict[int, ChainMeans] = {}
        for draw in draws:
            self.add(draw)

    def add(self, draw: Draw) -> None:
        """Take one more draw into the means."""
        if draw.chain in self._chains:
            self._chains[draw.chain].add(draw)
        else:
            self._chains[draw.chain] = ChainMeans(draw)

    @property
    def n_draws(self) -> int:
        """How many draws the means are over."""
        return sum(chain.n_draws for chain in self._chains.values())

    def means(self) -> tuple[FloatArray, FloatArray]:
        """Return the means of θ (documents, topics) and φ (topics, words) over all draws."""
        if not self._chains:
            raise InputError("there are no draws to average: add some first.")
        first, *others = (self._chains[number] for number in sorted(self._chains))
        doc_topic, topic_word = first.doc_topic_sum, first.topic_word_sum
        for chain in others:
            order = match_topics(chain.topic_word, first.topic_word)
            doc_topic = doc_topic + chain.doc_topic_sum[:, order]
            topic_word = topic_word + chain.topic_word_sum[order]
        return doc_topic / self.n_draws, np.divide(topic_word, self.n_draws, order="C")

    def copy(self) -> Posterior:
        """Return means that further draws do not change."""
        other = Posterior()
        other._chains = {number: chain.copy() for number, chain in self._chains.items()}
        return other


def log_predictive(draws: Iterable[Draw], heldout: Any) -> FloatArray:
    """Return the log of the mean over draws of Σ_k θ_dk φ_kv, one number per entry of ``heldout``.

    That is log p(w | training tokens) of one further token in the document, estimated by Monte
    Carlo. It is not the log of Σ_k of the means: θ and φ of one draw belong together. Relabelling
    the topics of a draw changes nothing, so chains need no matching.
    """
    total: FloatArray | None = None
    n_draws = 0
    for draw in draws:
        if total is None:
            test = check_heldout(draw.corpus, heldout)
            total = np.zeros(test.n_entries)
        total += draw.predictive(test)
        n_draws += 1
    if total is None:
        raise InputError("there are no draws to average: make some first.")
    return np.log(total / n_draws)
