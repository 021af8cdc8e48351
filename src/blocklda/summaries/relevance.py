"""Which words show a topic best: relevance (Sievert & Shirley 2014), and the largest of many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import not_allowed

__all__ = ["check_weight", "largest", "most_relevant", "relevance"]


def relevance(
    topic_word: Floats, word_counts: Ints, weight: float = defaults.RELEVANCE_WEIGHT
) -> Floats:
    """Return λ log φ_kv + (1 − λ) log(φ_kv / p_v) of every word in topics, of φ's shape.

    ``word_counts`` are those of the corpus, p_v its shares, and ``weight`` is λ: with 1 the order
    is that of the probability, with 0 that of the lift φ_kv / p_v, which favours rare words. Words
    that the corpus or the topic does not have get −∞.
    """
    weight = check_weight(weight)
    topics = np.asarray(topic_word, dtype=np.float64)
    counts = np.asarray(word_counts, dtype=np.float64)
    known = (topics > 0) & (counts > 0)
    with np.errstate(divide="ignore"):
        log_phi, log_p = np.log(topics), np.log(counts / counts.sum())
    # λ log φ + (1 − λ)(log φ − log p) without the second logarithm.
    result = np.full(topics.shape, -np.inf)
    np.subtract(log_phi, (1 - weight) * np.where(counts > 0, log_p, 0), out=result, where=known)
    return result


def most_relevant(
    topic_word: Floats, word_counts: Ints, n_words: int, weight: float = defaults.RELEVANCE_WEIGHT
) -> tuple[Ints, Floats]:
    """Return the columns of each topic's most relevant words, the best first, and their relevance.

    Both have the shape (topics, words asked for). Of equals the first columns are taken. One topic
    is looked at after the other, so that no table of all topics and words is made.
    """
    columns, levels = [], []
    for row in topic_word:
        of_row = relevance(row, word_counts, weight)
        columns.append(np.argsort(-of_row, kind="stable")[:n_words])
        levels.append(of_row[columns[-1]])
    return np.stack(columns), np.stack(levels)


def check_weight(weight: Any) -> float:
    """Return λ as a number, or say what it can be."""
    try:
        share = float(weight)
    except (TypeError, ValueError):
        share = math.nan
    if not 0 <= share <= 1:
        raise not_allowed("weight", weight, "a number from 0 to 1")
    return share


def largest(values: Floats, n: int) -> Ints:
    """Return the places of the n largest values, or of all if there are fewer; of ties, the first.

    The same as the first n of a stable sort, but only those that can be among them are sorted:
    30 times faster for 10 words of KOS in each of 200 topics.
    """
    n = min(n, len(values))
    if n == 0:
        return np.empty(0, dtype=np.int64)
    candidates = np.flatnonzero(values >= np.partition(values, -n)[-n])
    return candidates[np.argsort(-values[candidates], kind="stable")[:n]]
