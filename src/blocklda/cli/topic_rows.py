"""What is shown of every topic of a model: its share, its words, and whether it is stable."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.summaries.fitted import Fitted, fitted
from blocklda.summaries.intervals import Estimate
from blocklda.summaries.relevance import most_relevant
from blocklda.summaries.topic_shares import topic_shares

if TYPE_CHECKING:
    from blocklda.estimator import LDA

__all__ = ["TopicRow", "topic_rows"]


@dataclass(frozen=True)
class TopicRow:
    """One topic, under the number that it has in the model.

    Attributes
    ----------
    prevalence
        Its share of all tokens; the ends of the interval are NaN where there are no draws.
    stable, distance
        Whether it comes back in every chain, None with one chain; and how far, in total variation,
        the partner is that is furthest from it.
    words
        The most probable words, each with its probability.
    relevant
        The most relevant words, each with its probability and relevance.
    """

    topic: int
    prevalence: Estimate
    stable: bool | None
    distance: float
    words: tuple[dict[str, Any], ...]
    relevant: tuple[dict[str, Any], ...]


def topic_rows(
    lda: LDA, n_words: int, weight: float, interval: float, sort: str = "number"
) -> list[TopicRow]:
    """Return a row for every topic, by "number" or by "size", the largest first."""
    model = fitted(lda)
    corpus, names = model.corpus, model.words
    n_words = min(n_words, corpus.n_words)
    shares = topic_shares(model, interval)
    distances = model.alignment.distances
    probable = _probable(lda, model, n_words, interval)
    columns, levels = most_relevant(lda.components_, corpus.word_counts(), n_words, weight)
    rows = [
        TopicRow(
            topic=k,
            prevalence=shares[k],
            stable=None if lda.stable_topics_ is None else bool(lda.stable_topics_[k]),
            distance=float(distances[1:, k].max()) if len(distances) > 1 else math.nan,
            words=probable[k],
            relevant=tuple(
                {"word": names[v], "probability": float(lda.components_[k, v]), "relevance": level}
                for v, level in zip(columns[k], levels[k].tolist(), strict=True)
                if level > -math.inf
            ),
        )
        for k in range(len(lda.components_))
    ]
    return sorted(rows, key=lambda row: -row.prevalence.mean) if sort == "size" else rows


def _probable(
    lda: LDA, model: Fitted, n_words: int, interval: float
) -> list[tuple[dict[str, Any], ...]]:
    """Return the most probable words, with intervals if the draws are there."""
    if model.draws:
        return [
            tuple({"word": word.word, "probability": word.probability} for word in summary.words)
            for summary in lda.topic_summaries(n_words, interval)
        ]
    return [
        tuple(
            {"word": model.words[v], "probability": Estimate(float(row[v]), math.nan, math.nan)}
            for v in np.argsort(-row, kind="stable")[:n_words]
        )
        for row in model.topic_word
    ]
