"""Averages over draws: what the posterior says of documents, topics and held-out words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.models.lda.predictive import check_heldout
from blocklda.results.stability import Alignment, align_chains
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["LastDraws", "Posterior", "log_predictive"]


class Posterior:
    """Posterior means over the draws of one or more chains.

    The means of θ and φ name topics by number, and each chain numbers them in its own way. So the
    topics of every chain are first matched to those of the first chain, by
    :func:`blocklda.results.stability.align_chains`. Within a chain they are taken as they are.

    ``groups`` gives topics that only the prior tells apart a number each: a topic is matched with
    topics of its own group only.
    """

    def __init__(self, chains: Sequence[Any], groups: Ints | None = None) -> None:
        with_draws = [number for number, chain in enumerate(chains) if chain is not None]
        self._chains = [chain for chain in chains if chain is not None]
        if not with_draws:
            raise InputError("there are no draws to average: make some first.")
        found = _aligned(self._chains, groups)
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
        if len(self._chains) == 1:
            theta: Floats = self._chains[0].doc_topic
            return theta
        parts = zip(self._chains, self._order, strict=True)
        sums = _total(chain.doc_topic_sum[:, order] for chain, order in parts)
        sums /= self.n_draws
        return sums

    @cached_property
    def topic_word(self) -> Floats:
        """The mean of φ, shape (topics, words)."""
        if len(self._chains) == 1:
            phi: Floats = self._chains[0].topic_word
            return phi
        parts = zip(self._chains, self._order, strict=True)
        sums = _total(chain.topic_word_sum[order] for chain, order in parts)
        return np.divide(sums, self.n_draws, order="C")

    def aligned_mean(self, of_topics: Sequence[Floats]) -> Floats:
        """Return the mean over draws of numbers that topics have, given each chain's own mean."""
        values = [of_topics[number] for number in self._with_draws]
        parts = zip(self._chains, values, self._order, strict=True)
        return _total(chain.n_draws * own[order] for chain, own, order in parts) / self.n_draws


def _aligned(chains: Sequence[Any], groups: Ints | None) -> Alignment:
    """Return the matched topics; those of one chain are not looked at, which takes memory."""
    if len(chains) > 1:
        return align_chains((chain.topic_word for chain in chains), groups)
    n_topics = chains[0].n_topics
    return Alignment(np.arange(n_topics)[None], np.zeros((1, n_topics)))


class LastDraws:
    """Estimates by the last draw of each chain, for models whose topics come and go.

    Topics of two draws need not be the same ones, so there is no mean over draws to take.
    """

    def __init__(self, draws: Sequence[Any], groups: Ints | None = None) -> None:
        if not draws:
            raise InputError("there are no draws to summarise: make some first.")
        self.topic_word: Floats = draws[0].topic_word()
        self.doc_topic: Floats = draws[0].doc_topic()
        self.alignment = align_chains((draw.topic_word() for draw in draws), groups)

    def aligned_mean(self, of_topics: Sequence[Floats]) -> Floats:
        """Return the numbers that the topics of the first chain have."""
        return of_topics[0]


def _total(arrays: Iterable[Floats]) -> Floats:
    """Return the sum of arrays that nobody else holds; no more than two are there at a time."""
    remaining = iter(arrays)
    total = next(remaining)
    for array in remaining:
        total += array
    return total


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
