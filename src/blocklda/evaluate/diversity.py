"""How far topics differ from one another, by their most probable words."""

from __future__ import annotations

from typing import Any

import numpy as np

from blocklda.summaries.relevance import largest
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.distributions import check_distributions

__all__ = ["COHERENCE_WORDS", "check_topics", "diversity", "exclusivity", "top_words"]

COHERENCE_WORDS = 10
"""Top words by which the coherence and the exclusivity of a topic are usually measured."""


def diversity(topic_word: Any, n_words: int = 25) -> float:
    """Return the share of different words among the top words of all topics.

    It is 1 if no two topics share one of their ``n_words`` most probable words, and 1/K if all K
    have the same. ``topic_word`` is φ, shape (topics, words); in case of ties, the first columns
    are used.

    Examples
    --------
    >>> import blocklda
    >>> bars = blocklda.simulate.bars(n_docs=10, seed=1)
    >>> blocklda.evaluate.diversity(bars.topics, n_words=5)
    0.5
    """
    topics, n_words = check_topics(topic_word, n_words, least=1)
    words = top_words(topics, n_words)
    return len(np.unique(words)) / words.size


def exclusivity(topic_word: Any, n_words: int = COHERENCE_WORDS) -> Floats:
    """Return for each topic k the mean over its top words v of φ_kv / Σ_j φ_jv.

    That is the probability of topic k given one token of the word, were all topics equally
    frequent. It is 1 if no other topic has the topic's words, and 1/K if all K topics are the
    same. A word that no topic has counts 0. The parameters are those of :func:`diversity`.

    Examples
    --------
    >>> import blocklda
    >>> bars = blocklda.simulate.bars(n_docs=10, seed=1)
    >>> blocklda.evaluate.exclusivity(bars.topics, n_words=5).round(2)
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    topics, n_words = check_topics(topic_word, n_words, least=1)
    words = top_words(topics, n_words)
    own = np.take_along_axis(topics, words, axis=1)
    total = topics.sum(axis=0)[words]
    shares = np.divide(own, total, out=np.zeros_like(own), where=total > 0)
    return np.asarray(shares.mean(axis=1))


def check_topics(topic_word: Any, n_words: Any, least: int) -> tuple[Floats, int]:
    """Check and return φ, shape (topics, words), and ``n_words``."""
    topics = check_distributions("topic_word", topic_word)
    return topics, whole_number("n_words", n_words, least, topics.shape[1])


def top_words(topics: Floats, n_words: int) -> Ints:
    """Return each topic's most probable words, best first; ties: the first column wins."""
    return np.stack([largest(row, n_words) for row in topics])
