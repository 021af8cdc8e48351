"""φ of a few draws, for what is asked of new documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.models.lda.new_documents.frozen_topics import TopicTables
from blocklda.models.lda.priors import padded_length
from blocklda.support.arrays import Floats
from blocklda.support.memory import require_memory
from blocklda.support.messages import Message

__all__ = ["N_TOPIC_DRAWS", "TopicDraws"]


N_TOPIC_DRAWS = 16
"""Draws whose φ new documents are folded into; `python -m benchmarks.infer` compares them with
fewer (docs/how-to/new-documents.md)."""


class TopicDraws:
    """φ of draws spread evenly over a chain, or their mean; laid out at the first question.

    The draws are of one chain, so their topics are numbered alike. ``mean`` returns the mean of φ
    over all draws of that chain, and is called where it is needed.
    """

    def __init__(self, draws: Sequence[Draw], mean: Callable[[], Floats]) -> None:
        self._draws = draws
        self._mean = mean
        self._tables: dict[int, TopicTables] = {}

    def tables(self, n_draws: int) -> TopicTables:
        """Return φ of ``n_draws`` draws.

        With one, or where the draws were not kept, it is the mean of φ over all draws.
        """
        n_draws = n_draws if self._draws else 1
        if n_draws not in self._tables:
            self._require_memory(n_draws)
            self._tables.clear()  # one table at a time: they are large
            self._tables[n_draws] = TopicTables.create(self._matrices(n_draws))
        return self._tables[n_draws]

    def _matrices(self, n_draws: int) -> Sequence[Floats]:
        if n_draws == 1:
            return [self._mean()]
        middles = (np.arange(n_draws) + 0.5) * len(self._draws) / n_draws
        return [self._draws[i].topic_word() for i in np.unique(middles.astype(int))]

    def _require_memory(self, n_draws: int) -> None:
        n_topics, n_words = self._shape()
        require_memory(
            2 * 8 * n_draws * n_words * padded_length(n_topics),
            f"φ of {n_words:,} words and {n_topics:,} topics, {n_draws} times,",
            Message.of("give a smaller {n_draws}"),
        )

    def _shape(self) -> tuple[int, ...]:
        """Return (topics, words), from a draw where there is one: it takes no table."""
        if not self._draws:
            return self._mean().shape
        return self._draws[0].priors.n_topics, self._draws[0].corpus.n_words
