"""What topics are called in figures: their number, and a few of their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from blocklda.plots.style import one_line
from blocklda.results.result import FitResult
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError, not_allowed

__all__ = ["checked_topics", "topic_name"]

LONGEST_WORD, LONGEST_LIST = 14, 34
"""Letters of a word, and of the words of a topic together."""


def topic_name(model: FitResult, topic: int, n_words: int = 3) -> str:
    """Return the number of a topic and its most probable words."""
    row = model.topic_word[topic]
    top = np.argsort(-row, kind="stable")[:n_words]
    words = ", ".join(one_line(model.words[v], LONGEST_WORD) for v in top)
    return f"{topic}  {one_line(words, LONGEST_LIST)}".rstrip()


def checked_topics(topics: Any, n_topics: int) -> Sequence[int]:
    """Return topics in the order in which they were given, or say which one is not there."""
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise not_allowed("topics", topics, "a list of topic numbers, such as [0, 5]")
    numbers = [whole_number(f"topics[{i}]", k, 0, n_topics - 1) for i, k in enumerate(topics)]
    if not numbers:
        raise InputError("topics is empty: give the numbers of the topics to draw.")
    return numbers
