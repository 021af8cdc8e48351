"""Averages over draws: what the posterior says of documents, topics and held-out words."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.models.lda.predictive import check_heldout
from blocklda.models.lda.priors import Priors
from blocklda.results.stability import Alignment, align_chains
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["ChainMeans", "Posterior", "log_predictive", "topic_groups"]


class ChainMeans:
    """Running sums of θ and φ over the draws of one chain, updated as draws arrive."""

    def __init__(self, n_draws: int, doc_topic_sum: Floats, topic_word_sum: Floats) -> None:
        self.n_draws = n_draws
        self.doc_topic_sum = doc_topic_sum
        self.topic_word_sum = topic_word_sum

    @classmethod
    def of(cls, draws: Iterable[Draw]) -> ChainMeans:
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

    def copy(self) -> ChainMeans:
        """Return sums that further draws do not change."""
        other = copy.copy(self)
        other.doc_topic_sum = self.doc_topic_sum.copy()
        other.topic_word_sum = self.topic_word_sum.copy(order="K")
        return other


class Posterior:
    """Posterior means over the draws of one or more chains.

    The means of θ and φ name topics by number, and each chain numbers them in its own way. So the
    topics of every chain are first matched to those of the first chain, by
    :func:`blocklda.results.stability.align_chains`. Within a chain they are taken as they are.

    ``groups`` gives topics that only the prior tells apart a number each: a topic is matched with
    topics of its own group only.
    """

    def __init__(self, chains: Sequence[ChainMeans | None], groups: Ints | None = None) -> None:
        with_draws = [number for number, chain in enumerate(chains) if chain is not None]
        self._chains = [chain for chain in chains if chain is not None]
        if not with_draws:
            raise InputError("there are no draws to average: make some first.")
        found = align_chains((chain.topic_word for chain in self._chains), groups)
        n_topics = found.order.shape[1]
        # A chain that an interrupted run left without draws has topics that nobody knows.
        order = np.tile(np.arange(n_topics), (len(chains), 1))
        distances = np.full((len(chains), n_topics), np.nan)
        order[with_draws], distances[with_draws] = found
        self.alignment = Alignment(order, distances)
        self._order = found.order
        self._with_draws = with_draws

    @property
    def n_draws(self) -> int:
        """How many draws the means are over."""
        return sum(chain.n_draws for chain in self._chains)

    @cached_property
    def doc_topic(self) -> Floats:
        """The mean of θ, shape (documents, topics)."""
        parts = zip(self._chains, self._order, strict=True)
        sums = _total(chain.doc_topic_sum[:, order] for chain, order in parts)
        sums /= self.n_draws
        return sums

    @cached_property
    def topic_word(self) -> Floats:
        """The mean of φ, shape (topics, words)."""
        parts = zip(self._chains, self._order, strict=True)
        sums = _total(chain.topic_word_sum[order] for chain, order in parts)
        return np.divide(sums, self.n_draws, order="C")

    def aligned_mean(self, of_topics: Sequence[Floats]) -> Floats:
        """Return the mean over draws of numbers that topics have, given each chain's own mean."""
        values = [of_topics[number] for number in self._with_draws]
        parts = zip(self._chains, values, self._order, strict=True)
        return _total(chain.n_draws * own[order] for chain, own, order in parts) / self.n_draws


def _total(arrays: Iterable[Floats]) -> Floats:
    """Return the sum of arrays that nobody else holds; no more than two are there at a time."""
    remaining = iter(arrays)
    total = next(remaining)
    for array in remaining:
        total += array
    return total


def topic_groups(priors: Priors) -> Ints | None:
    """Return which topics have the same prior over words, or None if all have."""
    if priors.beta_is_symmetric:
        return None
    _, groups = np.unique(priors.beta.T, axis=0, return_inverse=True)
    return groups.astype(np.int64)


def log_predictive(draws: Iterable[Draw], heldout: Any) -> Floats:
    """Return the log of the mean over draws of Σ_k θ_dk φ_kv, one number per entry of ``heldout``.

    That is log p(w | training tokens) of one further token in the document, estimated by Monte
    Carlo. It is not the log of Σ_k of the means: θ and φ of one draw belong together. Relabelling
    the topics of a draw changes nothing, so chains need no matching.
    """
    total: Floats | None = None
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
