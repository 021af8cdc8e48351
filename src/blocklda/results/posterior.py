"""Averages over draws: what the posterior says of documents, topics and held-out words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.models.lda.predictive import check_heldout
from blocklda.results.stability import Alignment, align_chains
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["ChainEstimates", "MeanTopics", "Posterior", "log_predictive"]


class Posterior:
    """Posterior means over the draws of the reference chain, and the partners of its topics.

    Each chain numbers topics in its own way, and a topic of one chain may be in no other. So means
    of θ and φ are never taken across chains: they are those of one chain, beside whose topics the
    topics of the others are put by :func:`blocklda.results.stability.align_chains`.

    ``chains`` are the means of each chain, None for one without draws; ``support`` is how well each
    explains the corpus, and the chain with the highest is the reference. ``groups`` gives topics
    that only the prior distinguishes a number each: a topic is matched within its group only.
    """

    def __init__(
        self, chains: Sequence[Any], support: Sequence[float], groups: Ints | None = None
    ) -> None:
        self.of_chains = tuple(chains)
        self._with_draws = _with_draws(chains)
        # NaN, the support of a chain without draws, is never the largest.
        self.reference = max(self._with_draws, key=lambda number: support[number])
        self._groups = groups
        self._means = chains[self.reference]

    def align(self) -> Alignment:
        """Match the topics of all chains to those of the reference chain."""
        means = [self.of_chains[number] for number in self._with_draws]
        known = {self._with_draws.index(self.reference): self.topic_word()}
        topics = MeanTopics(means, known)
        return _matched(topics, self._with_draws, len(self.of_chains), self.reference, self._groups)

    def doc_topic(self) -> Floats:
        """Return the mean of θ, shape (documents, topics): made when first asked for, then kept.

        With many documents or words a table takes more than the draws that it is made from.
        """
        return self._doc_topic

    @cached_property
    def _doc_topic(self) -> Floats:
        mean: Floats = self._means.doc_topic
        return mean

    def topic_word(self) -> Floats:
        """Return the mean of φ, shape (topics, words): made when first asked for, then kept."""
        return self._topic_word

    @cached_property
    def _topic_word(self) -> Floats:
        mean: Floats = self._means.topic_word
        return mean


class MeanTopics(Sequence[Floats]):
    """The mean of φ of each chain, computed when asked for: all at once would take much memory.

    ``known`` are those that are there already, by the number of the chain.
    """

    def __init__(self, means: Sequence[Any], known: Mapping[int, Floats] | None = None) -> None:
        self._means = means
        self._known = {} if known is None else known

    def __len__(self) -> int:
        return len(self._means)

    def __getitem__(self, number: Any) -> Any:
        if number in self._known:
            return self._known[number]
        return self._means[number].topic_word


class ChainEstimates:
    """Estimates by one object for each chain, for models whose topics come and go.

    Topics of two draws need not be the same ones, so there is no mean over all draws to take; the
    model says what stands for them (:meth:`blocklda.models.base.Model.estimates`).

    ``chains`` has one of these for each chain, None for one without draws.
    """

    def __init__(
        self, chains: Sequence[Any], support: Sequence[float], groups: Ints | None = None
    ) -> None:
        self.of_chains = tuple(chains)
        self._with_draws = _with_draws(chains)
        self.reference = max(self._with_draws, key=lambda number: support[number])
        self._groups = groups
        # A function: of a hundred thousand short texts the table takes far more than their labels.
        self.doc_topic: Callable[[], Floats] = chains[self.reference].doc_topic

    def topic_word(self) -> Floats:
        """Return φ, shape (topics, words): made when first asked for, then kept."""
        return self._topic_word

    @cached_property
    def _topic_word(self) -> Floats:
        found: Floats = self.of_chains[self.reference].topic_word()
        return found

    def align(self) -> Alignment:
        """Match the topics of all chains to those of the reference chain."""
        topics = [self.of_chains[number].topic_word() for number in self._with_draws]
        return _matched(topics, self._with_draws, len(self.of_chains), self.reference, self._groups)


def _with_draws(chains: Sequence[Any]) -> list[int]:
    """Return the numbers of the chains that have draws."""
    numbers = [number for number, chain in enumerate(chains) if chain is not None]
    if not numbers:
        raise InputError("there are no draws to average: make some first.")
    return numbers


def _matched(
    topic_words: Sequence[Floats],
    numbers: list[int],
    n_chains: int,
    reference: int,
    groups: Ints | None,
) -> Alignment:
    """Match the topics of the chains with these numbers; of the other chains nothing is known."""
    at = numbers.index(reference)
    n_topics = len(topic_words[at])
    order = np.tile(np.arange(n_topics), (n_chains, 1))
    distances = np.full((n_chains, n_topics), np.nan)
    distances[reference] = 0.0
    if len(numbers) > 1:  # the topics of one chain are not looked at, which takes memory
        found = align_chains(topic_words, groups, at)
        order[numbers], distances[numbers] = found.order, found.distances
    return Alignment(order, distances, reference)


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
