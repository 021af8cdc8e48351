"""The Dirichlet prior of the words of a topic: one number for all words, or one for each."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from blocklda.models.base import Stored
from blocklda.models.lda.priors import positive_numbers
from blocklda.support.arrays import AnyInts, Floats, Ints, sealed
from blocklda.support.checks import real_numbers
from blocklda.support.errors import InputError

__all__ = ["Beta", "WordPrior", "as_beta", "check_beta", "restored_beta"]

Beta = float | Floats
"""β of all words, or β_v of each."""


def check_beta(value: Any, n_words: int) -> Beta:
    """Return the word prior that a user gave: a number, or one per word."""
    numbers = real_numbers(value)
    if numbers is not None and numbers.ndim > 1:
        raise InputError.of(
            "beta has the shape {numbers.shape}: the topics of an HDP are born and die, so they "
            "cannot have priors of their own: [give <one number for all words, or one per word>]."
        ).where(numbers=numbers, parameter="beta", value=value)
    values = positive_numbers("beta", value, ((), (n_words,)), "a number or one per word")
    return as_beta(np.atleast_1d(values))


def as_beta(numbers: Floats) -> Beta:
    """Return an array of one number, or one per word, as a word prior; equal ones are one."""
    return float(numbers[0]) if np.ptp(numbers) == 0 else sealed(np.array(numbers))


def restored_beta(numbers: Floats, n_words: int, stored: Stored) -> Beta:
    """Return the word prior that the numbers of a file are."""
    if len(numbers) not in (1, n_words) or not (np.isfinite(numbers) & (numbers > 0)).all():
        raise stored.damaged("its prior of words is not one positive number, or one per word")
    return as_beta(numbers)


class WordPrior:
    """β_v of the words of a vocabulary, and B = Σ_v β_v."""

    def __init__(self, beta: Beta, n_words: int) -> None:
        self.values: Floats = np.atleast_1d(np.asarray(beta, dtype=np.float64))
        """One number, or one per word."""
        self.is_equal = np.ndim(beta) == 0
        self.n_words = n_words
        self._equal = float(self.values[0])
        self.total = n_words * float(beta) if self.is_equal else float(self.values.sum())

    def at(self, word: int) -> float:
        """Return β_v."""
        return self._equal if self.is_equal else float(self.values[word])

    def of(self, words: AnyInts) -> Floats:
        """Return β_v of several words, or the one number that all share."""
        return self.values if self.is_equal else self.values[words]

    def share(self, word: int) -> float:
        """Return the probability β_v / B of a word in a topic that has no tokens."""
        return 1.0 / self.n_words if self.is_equal else self.at(word) / self.total

    def shares(self, words: AnyInts) -> Floats:
        """Return the same of several words."""
        if self.is_equal:
            return np.full(len(words), 1.0 / self.n_words)
        return self.of(words) / self.total

    def group_totals(self, groups: Ints) -> Floats:
        """Return Σ_v β_v over groups of neighbouring words, which begin and end at ``groups``."""
        if self.is_equal:
            return np.diff(groups) * float(self.values[0])
        return np.array([self.values[first:end].sum() for first, end in pairwise(groups)])

    def rows(self, n_topics: int) -> tuple[Floats, Floats]:
        """Return ``beta`` and ``beta_sum`` of LDA's priors with so many topics."""
        beta = np.broadcast_to(self.values[:, None], (len(self.values), n_topics))
        return beta, np.full(n_topics, self.total)

    def by_topic(self, n_topics: int) -> Beta:
        """Return β as LDA takes it: a number, or a matrix (topics, words)."""
        if self.is_equal:
            return float(self.values[0])
        return np.broadcast_to(self.values, (n_topics, self.n_words))
