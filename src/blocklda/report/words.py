"""The words of a page: those that topics show, and those that can be searched for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.results.result import FitResult
from blocklda.summaries.relevance import largest
from blocklda.support.arrays import Floats, Ints
from blocklda.support.fixed_order import column_totals

__all__ = ["SLIDER_WEIGHTS", "WordTable"]


SLIDER_WEIGHTS = np.linspace(0, 1, 21)
"""The places of the slider: what λ can be on a page."""

WORDS_SHOWN = 20
"""Words in the list of a topic."""

SEARCHED_WORDS = 20_000
"""The most frequent words; the rest of a larger vocabulary cannot be searched for on a page."""

LONGEST_WORD = 100
"""Characters of a word on a page: an address for a word must not make it large."""

TOPICS_OF_A_WORD = 8
SMALLEST_SHARE = 0.02
"""Maximum number of topics shown for a word; each has at least this share of it."""


@dataclass(frozen=True, eq=False)
class WordTable:
    """Which words of the corpus a page holds, and under which number.

    Attributes
    ----------
    columns
        The columns of the words, ascending; a word's place among them is its number on the page.
    of_topics
        The columns that each topic may show, at any place of the slider.
    """

    columns: Ints
    of_topics: tuple[Ints, ...]
    _model: FitResult

    @classmethod
    def create(cls, model: FitResult) -> WordTable:
        """Choose the words."""
        counts = model.corpus.word_counts()
        of_topics = tuple(_shown_at_any_weight(row, counts) for row in model.topic_word)
        frequent = np.argsort(-counts, kind="stable")[:SEARCHED_WORDS]
        frequent = frequent[counts[frequent] > 0]
        return cls(np.unique(np.concatenate([frequent, *of_topics])), of_topics, model)

    def numbers(self, columns: Ints) -> list[int]:
        """Return the numbers on the page of words that it holds."""
        found: list[int] = np.searchsorted(self.columns, columns).tolist()
        return found

    def rows(self) -> dict[str, Any]:
        """Return names, counts in the corpus, and the topics of every word.

        The probability of topic k given a word, p(k | v) ∝ φ_kv p(k), is in per mille, from the
        posterior means: "topics" holds topic, probability, topic, probability, and so on.
        """
        model = self._model
        sizes = column_totals(model.corpus.doc_lengths(), model.doc_topic)
        joint = model.topic_word[:, self.columns] * sizes[:, None]
        shares = joint / joint.sum(axis=0)
        order = np.argsort(-shares, axis=0, kind="stable")[:TOPICS_OF_A_WORD]
        best = np.take_along_axis(shares, order, axis=0)
        return {
            "names": [_shortened(model.words[v]) for v in self.columns],
            "counts": model.corpus.word_counts()[self.columns].tolist(),
            "topics": [
                [
                    number
                    for k, share in zip(topics, of_word, strict=True)
                    if share >= SMALLEST_SHARE
                    for number in (k, round(1000 * share))
                ]
                for topics, of_word in zip(order.T.tolist(), best.T.tolist(), strict=True)
            ],
        }


def _shortened(word: str) -> str:
    """Return a word without the end of one that no page can show, such as an address."""
    return word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…"


def _shown_at_any_weight(phi: Floats, counts: Ints) -> Ints:
    """Return the words that are among the most relevant of a topic somewhere on the slider.

    The relevance λ log φ + (1 − λ) log(φ / p) is log φ − (1 − λ) log p; for the order the
    constant in log p does not matter.
    """
    known = np.flatnonzero((phi > 0) & (counts > 0))
    log_phi, log_count = np.log(phi[known]), np.log(counts[known])
    tops = [largest(log_phi - (1 - weight) * log_count, WORDS_SHOWN) for weight in SLIDER_WEIGHTS]
    return known[np.unique(np.concatenate(tops))]
