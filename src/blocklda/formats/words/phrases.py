"""Phrases: pairs of neighbouring words that belong together, counted as one word."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from blocklda.support.arrays import Ints

__all__ = ["MIN_COUNT", "THRESHOLD", "find_phrases", "join_phrases"]

THRESHOLD = 0.5
"""The normalised pointwise mutual information from which on two words are a phrase."""

MIN_COUNT = 10
"""Pairs that occur less often may be together by chance."""

JOINED_BY = "_"


def find_phrases(
    documents: Iterable[Sequence[str]],
    left_out: frozenset[str],
    threshold: float = THRESHOLD,
) -> tuple[tuple[tuple[str, str], ...], list[list[str]]]:
    """Return the phrases of documents, in alphabetical order, and the documents.

    Words x and y are a phrase if y follows x at least `MIN_COUNT` times, neither is a stop word,
    and their normalised pointwise mutual information, ln(p(xy) / (p(x) p(y))) / −ln p(xy), is at
    least ``threshold``: 0 for words that are independent, 1 for words that occur together only
    (Bouma 2009). p(xy) is a share of all neighbouring pairs, p(x) of all words.
    """
    numbers: dict[str, int] = {}
    tokens, ends = array("q"), array("q")
    kept: list[list[str]] = []
    for document in documents:
        words = list(document)
        kept.append(words)
        tokens.extend(numbers.setdefault(word, len(numbers)) for word in words)
        ends.append(len(tokens))
    stream = np.array(tokens, dtype=np.int64)
    pairs = _pairs(stream, np.array(ends, dtype=np.int64), numbers, left_out, threshold)
    words_of = list(numbers)
    found = sorted((words_of[first], words_of[second]) for first, second in pairs)
    return tuple(found), kept


def _pairs(
    stream: Ints,
    ends: Ints,
    numbers: dict[str, int],
    left_out: frozenset[str],
    threshold: float,
) -> list[tuple[int, int]]:
    if len(stream) < 2:
        return []
    is_within = np.ones(len(stream) - 1, dtype=bool)
    is_within[ends[(ends > 0) & (ends < len(stream))] - 1] = False
    codes = stream[:-1][is_within] * len(numbers) + stream[1:][is_within]
    both, counts = np.unique(codes, return_counts=True)
    n_pairs = int(counts.sum())
    enough = counts >= MIN_COUNT
    both, counts = both[enough], counts[enough]
    first, second = np.divmod(both, len(numbers))
    share = np.bincount(stream, minlength=len(numbers)) / len(stream)
    together = counts / n_pairs
    with np.errstate(divide="ignore"):
        score = np.log(together / (share[first] * share[second])) / -np.log(together)
    stopped = np.array([word in left_out for word in numbers], dtype=bool)
    is_phrase = (score >= threshold) & ~stopped[first] & ~stopped[second] & (together < 1)
    return list(zip(first[is_phrase].tolist(), second[is_phrase].tolist(), strict=True))


def join_phrases(
    documents: Iterable[Sequence[str]], phrases: Iterable[tuple[str, str]]
) -> Iterator[list[str]]:
    """Yield documents in which each phrase is one word; of overlapping ones the first is taken."""
    known = set(phrases)
    for words in documents:
        yield _joined(words, known)


def _joined(words: Sequence[str], phrases: set[tuple[str, str]]) -> list[str]:
    if not any(pair in phrases for pair in pairwise(words)):
        return list(words)
    joined: list[str] = []
    i = 0
    while i < len(words):
        if i + 1 < len(words) and (words[i], words[i + 1]) in phrases:
            joined.append(words[i] + JOINED_BY + words[i + 1])
            i += 2
        else:
            joined.append(words[i])
            i += 1
    return joined
