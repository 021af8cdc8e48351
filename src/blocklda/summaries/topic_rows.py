"""What is shown of every topic of a model: its share, its words, and whether it is stable."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blocklda.results.fitted import fitted
from blocklda.summaries.intervals import Estimate
from blocklda.summaries.relevance import most_relevant
from blocklda.summaries.topics import prevalence, topic_shares
from blocklda.support.arrays import Floats
from blocklda.support.fixed_order import column_totals

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA
    from blocklda.parallel import ShardedFit

__all__ = ["TopicRow", "topic_rows", "topic_rows_of_shards"]


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
    n_words = min(n_words, model.corpus.n_words)
    distances = model.alignment.distances
    several = len(distances) > 1
    topics = _Topics(
        model.topic_word,
        model.words,
        topic_shares(model, interval),
        _probable_with_intervals(lda, n_words, interval) if model.draws else None,
        None if lda.stable_topics_ is None else lda.stable_topics_.tolist(),
        distances[1:].max(axis=0).tolist() if several else [math.nan] * model.n_topics,
    )
    return _rows(topics, model.corpus.word_counts(), n_words, weight, sort)


def topic_rows_of_shards(
    fit: ShardedFit, n_words: int, weight: float, interval: float, sort: str = "number"
) -> list[TopicRow]:
    """Return the same of a fit on shards, whose draws of words are not here: without intervals."""
    n_topics, n_all_words = fit.topic_word.shape
    trace = fit.trace()
    order = np.arange(n_topics)[None]
    topics = _Topics(
        fit.topic_word,
        fit.corpus.vocabulary or tuple(map(str, range(n_all_words))),
        prevalence(trace, order, interval),
        None,
        None,
        [math.nan] * n_topics,
    )
    # What the topics say of the words: to count them would be to read all shards.
    word_counts = column_totals(fit.topic_sizes.mean(axis=0), fit.topic_word)
    return _rows(topics, word_counts, min(n_words, n_all_words), weight, sort)


@dataclass(frozen=True)
class _Topics:
    """What is known of all topics."""

    topic_word: Floats
    names: tuple[str, ...]
    shares: list[Estimate]
    probable: list[tuple[dict[str, Any], ...]] | None
    """The most probable words with their intervals, if these are known."""
    stable: list[bool] | None
    distances: list[float]


def _rows(
    topics: _Topics, word_counts: NDArray[Any], n_words: int, weight: float, sort: str
) -> list[TopicRow]:
    topic_word, names = topics.topic_word, topics.names
    probable = topics.probable or [_probable(row, names, n_words) for row in topic_word]
    columns, levels = most_relevant(topic_word, word_counts, n_words, weight)
    rows = [
        TopicRow(
            topic=k,
            prevalence=topics.shares[k],
            stable=None if topics.stable is None else topics.stable[k],
            distance=topics.distances[k],
            words=probable[k],
            relevant=tuple(
                {"word": names[v], "probability": float(topic_word[k, v]), "relevance": level}
                for v, level in zip(columns[k], levels[k].tolist(), strict=True)
                if level > -math.inf
            ),
        )
        for k in range(len(topic_word))
    ]
    return sorted(rows, key=lambda row: -row.prevalence.mean) if sort == "size" else rows


def _probable_with_intervals(
    lda: LDA, n_words: int, interval: float
) -> list[tuple[dict[str, Any], ...]]:
    return [
        tuple({"word": word.word, "probability": word.probability} for word in summary.words)
        for summary in lda.topic_summaries(n_words, interval)
    ]


def _probable(row: Floats, names: tuple[str, ...], n_words: int) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"word": names[v], "probability": Estimate(float(row[v]), math.nan, math.nan)}
        for v in np.argsort(-row, kind="stable")[:n_words]
    )
