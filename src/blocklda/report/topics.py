"""Topics on a page: where they lie on the map, how large they are, and their words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from blocklda.report.page import short, shorts
from blocklda.report.words import WordTable
from blocklda.results.result import FitResult
from blocklda.results.stability import stable_topics
from blocklda.summaries.intervals import Estimates
from blocklda.summaries.topic_map import topic_map
from blocklda.summaries.topics import topic_shares
from blocklda.summaries.word_estimates import word_estimates
from blocklda.support.arrays import Floats, Ints

__all__ = ["ShownTopics", "topics"]


class ShownTopics(NamedTuple):
    """A row per topic, and which share of the differences between topics each axis shows."""

    rows: list[dict[str, Any]]
    map_shown: list[Any]


def topics(model: FitResult, table: WordTable, interval: float) -> ShownTopics:
    """Return what a page says of every topic, by number."""
    places = topic_map(model)
    shares = topic_shares(model, interval)
    stable = stable_topics(model.alignment.distances)
    n_found = model.alignment.n_found
    words = _words(model, table.of_topics, interval)
    return ShownTopics(
        [
            {
                "label": model.labels.get(k),
                "share": shorts([shares[k].mean, shares[k].low, shares[k].high]),
                "stable": None if stable is None else bool(stable[k]),
                "distance": short(model.alignment.distances[:, k].max())
                if stable is not None
                else None,
                "found_in": int(n_found[k]),
                "place": shorts(places.positions[k]),
                "chain_places": shorts(places.chain_positions[:, k]),
                "words": table.numbers(table.of_topics[k]),
                "probabilities": [shorts(part) for part in words[k]],
            }
            for k in range(model.n_topics)
        ],
        shorts(places.shown),
    )


def _words(model: FitResult, of_topics: tuple[Ints, ...], interval: float) -> list[list[Floats]]:
    """Return mean, low and high of φ for the words of each topic; the mean alone without draws."""
    if not model.draws:
        rows = zip(model.topic_word, of_topics, strict=True)
        return [[row[columns]] for row, columns in rows]
    # Topics show different numbers of words: the first one fills the places that are left.
    width = max(map(len, of_topics))
    columns = np.array([np.pad(words, (0, width - len(words)), mode="edge") for words in of_topics])
    found: Estimates = word_estimates(
        model.draws, model.trace, model.alignment, model.topic_word, columns, interval
    )
    return [[part[k, : len(words)] for part in found] for k, words in enumerate(of_topics)]
