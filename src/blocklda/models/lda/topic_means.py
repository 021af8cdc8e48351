"""Means of θ and φ over the draws of one chain."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.base import Arrays, Stored
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.topic_sums import DocSums, WordSums
from blocklda.support.arrays import Floats

__all__ = ["TopicMeans"]

Sums = TypeVar("Sums", WordSums, DocSums)


class TopicMeans:
    """Means of θ and φ over the draws of one chain, updated as draws arrive.

    A draw that the chain keeps stands for itself: it is counted when a mean is asked for. Only
    those that are no longer kept are in sums, which take less memory than θ and φ.

    ``doc_topic_sum`` and ``topic_word_sum`` are tables of sums over ``n_draws`` earlier draws.
    """

    def __init__(
        self,
        n_draws: int = 0,
        doc_topic_sum: Floats | None = None,
        topic_word_sum: Floats | None = None,
    ) -> None:
        self._n_given = n_draws
        self._doc_topic_given = doc_topic_sum
        self._topic_word_given = topic_word_sum
        self._n_summed = 0
        self._words: WordSums | None = None
        self._docs: DocSums | None = None
        self._held: list[Draw] = []

    @classmethod
    def of(cls, draws: Iterable[Draw]) -> TopicMeans:
        """Return the means over some draws, at least one."""
        means = cls()
        for draw in draws:
            means.add(draw)
        return means

    @property
    def n_draws(self) -> int:
        """How many draws the means are over."""
        return self._n_given + self._n_summed + len(self._held)

    @property
    def n_topics(self) -> int:
        """K."""
        if self._held:
            return self._held[0].priors.n_topics
        known = self._topic_word_given if self._words is None else self._words
        return 0 if known is None else known.shape[0]

    def add(self, draw: Draw) -> None:
        """Take one more draw into the means."""
        self._held.append(draw)

    def settle(self, draws: Iterable[Draw]) -> None:
        """Move draws that are no longer kept into the sums."""
        leaving = {id(draw) for draw in draws}
        settled = [draw for draw in self._held if id(draw) in leaving]
        if not settled:
            return
        corpus, priors = settled[0].corpus, settled[0].priors
        words = self._words or WordSums.none(corpus, priors)
        docs = self._docs or DocSums.none(corpus, priors)
        for draw in settled:
            words, docs = words.plus(draw), docs.plus(draw)
        self._words, self._docs = words, docs
        self._n_summed += len(settled)
        self._held = [draw for draw in self._held if id(draw) not in leaving]

    def hold(self, draws: Sequence[Draw], n_draws: int) -> None:
        """Take back kept draws from a file: the last, as many as the sums lack of ``n_draws``."""
        self._held = list(draws[len(draws) - (n_draws - self.n_draws) :])

    @property
    def doc_topic_sum(self) -> Floats:
        """The sum of θ, shape (documents, topics)."""
        docs, given = self._docs or _none(DocSums, self._held), self._doc_topic_given
        if docs is None:
            return np.zeros((0, 0)) if given is None else given.copy()
        sums = docs.dense(self._held)
        if given is not None:
            sums += given
        return sums

    @property
    def topic_word_sum(self) -> Floats:
        """The sum of φ, shape (topics, words)."""
        return self._topic_word(1)

    @property
    def doc_topic(self) -> Floats:
        """The mean of θ, shape (documents, topics)."""
        sums = self.doc_topic_sum
        sums /= self.n_draws
        return sums

    @property
    def topic_word(self) -> Floats:
        """The mean of φ, shape (topics, words)."""
        return self._topic_word(self.n_draws)

    def _topic_word(self, divisor: int) -> Floats:
        words, given = self._words or _none(WordSums, self._held), self._topic_word_given
        if words is None:
            return np.zeros((0, 0)) if given is None else np.divide(given, divisor, order="C")
        shares = np.empty(words.shape)
        for columns, rows in words.rows(self._held):
            sums = rows.T if given is None else rows.T + given[:, columns]
            np.divide(sums, divisor, out=shares[:, columns])
        return shares

    def copy(self) -> TopicMeans:
        """Return means that further draws do not change."""
        other = copy.copy(self)  # sums are never changed in place
        other._held = list(self._held)
        return other

    def to_arrays(self, *, with_draws: bool) -> Arrays:
        """Return what a file holds, without the kept draws if these are in another file."""
        if not with_draws:
            alone = self.copy()
            alone.settle(self._held)
            return alone.to_arrays(with_draws=True)
        arrays: Arrays = {"sum_draws": np.array([self._n_given, self._n_summed], dtype=np.int64)}
        if self._doc_topic_given is not None and self._topic_word_given is not None:
            arrays["doc_topic_sum"] = np.ascontiguousarray(self._doc_topic_given)
            arrays["word_topic_sum"] = np.ascontiguousarray(self._topic_word_given.T)
        if self._words is not None and self._docs is not None:
            arrays |= {**self._words.to_arrays(), **self._docs.to_arrays()}
        return arrays

    @classmethod
    def restore(cls, stored: Stored, n_draws: int, corpus: Corpus, priors: Priors) -> TopicMeans:
        """Return the means that a file holds of ``n_draws`` draws, if they can be such.

        The first version has tables alone. Draws that are in another file are not among them yet.
        """
        n_given, n_summed = n_draws, 0
        if stored.has("sum_draws"):
            n_given, n_summed = stored.shaped("sum_draws", np.int64, (2,)).tolist()
        if min(n_given, n_summed) < 0 or n_given + n_summed > n_draws:
            raise stored.damaged("its averages do not belong to its draws")
        means = cls()
        if n_given:
            n_docs, n_words, n_topics = corpus.n_docs, corpus.n_words, priors.n_topics
            theta = stored.shaped("doc_topic_sum", np.float64, (n_docs, n_topics))
            phi = stored.shaped("word_topic_sum", np.float64, (n_words, n_topics)).T
            if not all(_are_sums(table, n_given) for table in (theta, phi)):
                raise stored.damaged("its averages are not probabilities")
            means = cls(n_given, theta, phi)
        if n_summed:
            means._n_summed = n_summed
            means._words = WordSums.restore(stored, corpus, priors, n_summed)
            means._docs = DocSums.restore(stored, corpus, priors, n_summed)
        return means


def _none(kind: type[Sums], draws: Sequence[Draw]) -> Sums | None:
    """Return sums over none of some draws; None if there are no draws."""
    return kind.none(draws[0].corpus, draws[0].priors) if draws else None


def _are_sums(table: Floats, n_draws: int) -> bool:
    """Return True if rows add up to the number of draws: else they are sums of no probabilities."""
    return bool((table >= 0).all()) and np.allclose(table.sum(axis=1), n_draws, rtol=1e-6)
