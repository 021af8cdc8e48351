"""What is shown of every topic of a model: its share, its words, and whether it is stable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.results.fixed_topics import topics_of
from blocklda.results.result import FitResult, result_of
from blocklda.summaries.intervals import Estimate
from blocklda.summaries.relevance import most_relevant
from blocklda.summaries.topics import topic_shares, topic_summaries
from blocklda.support.arrays import Floats
from blocklda.support.fixed_order import column_totals

__all__ = ["TopicRow", "topic_rows"]


@dataclass(frozen=True)
class TopicRow:
    """One topic, under the number that it has in the model.

    Attributes
    ----------
    prevalence
        Its share of all tokens; the ends of the interval are NaN where there are no draws.
    stable, distance
        Whether every chain found it, None with one chain; and how far, in total variation, the
        partner is that is furthest from it.
    found_in
        How many chains found it.
    label
        Its label, None if it has none.
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
    found_in: int = 1
    label: str | None = None


def topic_rows(
    fit: Any, n_words: int, weight: float, interval: float, sort: str = "number"
) -> list[TopicRow]:
    """Return a row for every topic of a fit, by "number" or by "size", the largest first.

    Of a fit on shards the draws of words are not here: its words have no intervals.
    """
    result = topics_of(fit)
    n_words = min(n_words, result.corpus.n_words)
    distances, stable = result.alignment.distances, result.stable
    several = len(distances) > 1
    topics = _Topics(
        result.topic_word,
        result.words,
        topic_shares(result, interval),
        _probable_with_intervals(result, n_words, interval) if _has_intervals(result) else None,
        None if stable is None else stable.tolist(),
        distances.max(axis=0).tolist() if several else [math.nan] * result.n_topics,
        result.alignment.n_found.tolist(),
        result.labels,
    )
    n_topics = result_of(fit).n_topics  # without everything else
    return _rows(topics, _word_counts(result), n_topics, n_words, weight, sort)


def _has_intervals(result: FitResult) -> bool:
    """Return whether draws are here, and all of them have the same topics."""
    return bool(result.draws) and "topic_size" in result.trace


def _word_counts(result: FitResult) -> NDArray[Any]:
    """Return how often words occur; of shards what the topics say: counting would read them."""
    if result.run is not None:
        counts: NDArray[Any] = result.corpus.word_counts()
        return counts
    return column_totals(result.trace.topic_sizes[0].mean(axis=0), result.topic_word)


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
    n_found: list[int]
    labels: Mapping[int, str]


def _rows(
    topics: _Topics,
    word_counts: NDArray[Any],
    n_topics: int,
    n_words: int,
    weight: float,
    sort: str,
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
            found_in=topics.n_found[k],
            label=topics.labels.get(k),
            words=probable[k],
            relevant=tuple(
                {"word": names[v], "probability": float(topic_word[k, v]), "relevance": level}
                for v, level in zip(columns[k], levels[k].tolist(), strict=True)
                if level > -math.inf
            ),
        )
        for k in range(n_topics)
    ]
    return sorted(rows, key=lambda row: -row.prevalence.mean) if sort == "size" else rows


def _probable_with_intervals(
    result: FitResult, n_words: int, interval: float
) -> list[tuple[dict[str, Any], ...]]:
    summaries = topic_summaries(
        result.draws, result.trace, result.alignment, result.topic_word, n_words, interval
    )
    return [
        tuple({"word": word.word, "probability": word.probability} for word in summary.words)
        for summary in summaries
    ]


def _probable(row: Floats, names: tuple[str, ...], n_words: int) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"word": names[v], "probability": Estimate(float(row[v]), math.nan, math.nan)}
        for v in np.argsort(-row, kind="stable")[:n_words]
    )
