"""Seed words: a word prior that leads topics of the user's choice to words of the user's choice."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from blocklda.support.arrays import Floats
from blocklda.support.checks import real_numbers, whole_number
from blocklda.support.errors import InputError, not_allowed
from blocklda.support.messages import Given

__all__ = ["SEED_WEIGHT", "numbered_topics", "seeded_beta"]

SEED_WEIGHT = 10.0
"""Any weight from 0.1 to 100 leads about 95 % of the words of benchmarks/seed_words.py to the top
of their topics, and leaves the perplexity of held-out words within its noise; 1000 raises it."""


def seeded_beta(
    beta: float,
    seed_words: Mapping[Any, Sequence[Any]],
    vocabulary: Sequence[str] | None,
    n_topics: int,
    n_words: int,
    weight: float = SEED_WEIGHT,
) -> Floats:
    """Return β_kv, shape (topics, words): ``beta``, and ``weight`` more for the words of a topic.

    ``seed_words`` maps topics, counted from 0 or called by names, to lists of words; a word is its
    name in the vocabulary or its number. Each seed word of a topic counts as if ``weight`` tokens
    of it had been seen in the topic before the first one of the corpus.
    """
    base, extra = _positive_number("beta", beta), _positive_number("seed_weight", weight)
    if not isinstance(seed_words, Mapping):
        raise InputError.of(
            "{seed_words=} is not a mapping: [give <a dictionary from topics to lists of words, "
            "such as {{0: [['war', 'peace']]}}>]."
        ).where(seed_words=seed_words)
    numbers = None if vocabulary is None else {word: v for v, word in enumerate(vocabulary)}
    seed_words, names = numbered_topics(seed_words, n_topics)
    matrix = np.full((n_topics, n_words), base)
    for topic, words in seed_words.items():
        k = whole_number("a topic of seed_words", topic, 0, n_topics - 1)
        name = f"seed_words[{names.get(k, k)!r:.80}]"
        for v in _word_numbers(name, words, numbers, n_words):
            matrix[k, v] += extra
    return matrix


def numbered_topics(
    seed_words: Mapping[Any, Any], n_topics: int
) -> tuple[dict[Any, Any], dict[int, str]]:
    """Return seed words by the numbers of topics, and the names of topics that had one.

    Topics that are called by names have the smallest numbers that no other topic has, in the order
    in which they are given.
    """
    taken = {topic for topic in seed_words if not isinstance(topic, str)}
    free = (k for k in range(n_topics) if k not in taken)
    words, labels = {}, {}
    for topic, given in seed_words.items():
        if not isinstance(topic, str) or topic.strip().isdecimal():
            words[topic] = given  # a number in quotes is refused as any other wrong number
            continue
        k = next(free, None)
        if k is None:
            raise InputError.of(
                "{seed_words} has {n} topics, but {n_topics=}: [give more topics, or seed words "
                "for fewer]."
            ).where(n=len(seed_words), n_topics=n_topics, parameter="seed_words")
        words[k], labels[k] = given, topic
    return words, labels


def _word_numbers(name: str, words: Any, numbers: dict[str, int] | None, n_words: int) -> list[int]:
    if isinstance(words, str | bytes) or not isinstance(words, Sequence | np.ndarray | set):
        raise InputError.of("{given} is not a list: [give <a list of words>].").where(
            given=Given(name, words)
        )
    if len(words) == 0:
        raise InputError(f"{name} is empty: give at least one word, or leave the topic out.")
    found: list[int] = []
    for word in words:
        v = _word_number(name, word, numbers, n_words)
        if v in found:
            raise InputError(f"{name} has the word {word!r:.80} twice: give each word once.")
        found.append(v)
    return found


def _word_number(name: str, word: Any, numbers: dict[str, int] | None, n_words: int) -> int:
    if not isinstance(word, str):
        return whole_number(f"a word of {name}", word, 0, n_words - 1)
    if numbers is None:
        raise InputError(
            f"{name} has the word {word!r:.80}, but the data have no vocabulary: give the numbers "
            "of the words, or data with a vocabulary."
        )
    if word not in numbers:
        close = difflib.get_close_matches(word, numbers, n=3)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "check its spelling."
        raise InputError(f"{name} has the word {word!r:.80}, which is not in the data; {hint}")
    return numbers[word]


def _positive_number(name: str, value: Any) -> float:
    number = real_numbers(value)
    if number is not None and number.ndim > 0:
        raise InputError.of(
            "{name} has the shape {number.shape}, but seed words create the matrix themselves: "
            "[give {name} as one number, or the full matrix without seed_words]."
        ).where(name=name, number=number, parameter=name, value=value)
    if number is None or not (np.isfinite(number) and number > 0):
        raise not_allowed(name, value, "a finite number above 0")
    return float(number)
