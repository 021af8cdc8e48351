"""Tiny HDP problems and their exact posteriors: partitions, tables and sticks summed exactly.

Nothing here calls the package's own formulas: the target is written out again from its definition.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import exp, factorial, lgamma
from typing import Any

import numpy as np
from scipy import stats

from blocklda.data.corpus import Corpus
from blocklda.models.hdp.state import FREE, Levels, State, SweepOptions, n_slots_for
from blocklda.models.hdp.word_prior import check_beta
from blocklda.support.checks import random_generator
from blocklda.testing.verdict import Verdict, chi_square

__all__ = ["HDPProblem", "Key", "judge_moments", "rising", "set_partitions", "stirling"]

Key = tuple[tuple[int, ...], ...]
"""A state without labels: the tokens of each entry in a topic, topics in a canonical order."""


@cache
def stirling(n: int, m: int) -> int:
    """Return the unsigned Stirling number of the first kind."""
    if n == m:
        return 1
    if m == 0 or m > n:
        return 0
    return stirling(n - 1, m - 1) + (n - 1) * stirling(n - 1, m)


def rising(x: float, n: int) -> float:
    """Return x (x + 1) ⋯ (x + n − 1)."""
    product = 1.0
    for i in range(n):
        product *= x + i
    return product


def set_partitions(n: int) -> Iterator[list[int]]:
    """Yield every partition of n tokens, as the class of each token."""

    def extended(prefix: list[int], n_classes: int) -> Iterator[list[int]]:
        if len(prefix) == n:
            yield prefix
            return
        for k in range(n_classes + 1):
            yield from extended([*prefix, k], max(n_classes, k + 1))

    yield from extended([], 0)


def key_of(columns: np.ndarray) -> Key:
    """Return the state of counts (topics, entries)."""
    rows = (tuple(map(int, column)) for column in columns if column.sum() > 0)
    return tuple(sorted(rows, reverse=True))


@dataclass(frozen=True)
class HDPProblem:
    """A corpus and levels; a state is a partition of the tokens, without labels.

    ``beta`` is one number for all words, or one per word.

    Examples
    --------
    >>> from blocklda import testing
    >>> problem = testing.HDPProblem(((2, 1), (1, 0)), alpha0=5.0, gamma=2.5, beta=0.7)
    >>> len(problem.keys), float(problem.probabilities.sum().round(9))
    (11, 1.0)
    """

    matrix: tuple[tuple[int, ...], ...]
    alpha0: float
    gamma: float
    beta: float | tuple[float, ...]
    has_words: bool = True
    options: SweepOptions = field(default_factory=SweepOptions)

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus of the matrix."""
        return Corpus.from_matrix(np.array(self.matrix))

    @cached_property
    def entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Documents, words and counts of the entries."""
        docs, words = np.nonzero(np.array(self.matrix))
        return docs, words, np.array(self.matrix)[docs, words]

    @cached_property
    def token_entries(self) -> np.ndarray:
        """The entry of each token."""
        counts = self.entries[2]
        return np.repeat(np.arange(len(counts)), counts)

    def by_doc(self, key: Key) -> np.ndarray:
        """Return n_dk."""
        n_dk = np.zeros((len(self.matrix), len(key)), dtype=int)
        np.add.at(n_dk, self.entries[0], np.array(key).T)
        return n_dk

    def prior(self, key: Key) -> float:
        """Return the probability of the topics as a sequence: tables summed, sticks integrated."""
        total = np.array([1.0])
        for column in self.by_doc(key).T:
            terms = np.array([1.0])
            for n in column:
                terms = np.convolve(
                    terms, [stirling(int(n), m) * self.alpha0**m for m in range(n + 1)]
                )
            of_topic = [0.0, *(terms[m] * factorial(m - 1) for m in range(1, len(terms)))]
            total = np.convolve(total, self.gamma * np.array(of_topic))
        weight = sum(total[m] / rising(self.gamma, m) for m in range(len(total)))
        lengths = np.array(self.matrix).sum(axis=1)
        return float(weight / np.prod([rising(self.alpha0, int(n)) for n in lengths]))

    def words(self, key: Key) -> float:
        """Return the probability of the words given the topics."""
        if not self.has_words:
            return 1.0
        n_words, log = len(self.matrix[0]), 0.0
        beta = np.broadcast_to(self.beta, n_words).tolist()
        total = sum(beta)
        for column in key:
            n_v = np.zeros(n_words, dtype=int)
            np.add.at(n_v, self.entries[1], column)
            log += lgamma(total) - lgamma(total + sum(column))
            log += sum(lgamma(b + int(n)) - lgamma(b) for n, b in zip(n_v, beta, strict=True) if n)
        return exp(log)

    @cached_property
    def weights(self) -> dict[Key, float]:
        """The joint probability of every state and the words."""
        found: dict[Key, float] = defaultdict(float)
        one: dict[Key, float] = {}
        for classes in set_partitions(len(self.token_entries)):
            columns = np.zeros((max(classes) + 1, len(self.entries[2])), dtype=int)
            np.add.at(columns, (np.array(classes), self.token_entries), 1)
            key = key_of(columns)
            if key not in one:
                one[key] = self.prior(key) * self.words(key)
            found[key] += one[key]
        return dict(found)

    @cached_property
    def evidence(self) -> float:
        """The probability of the words."""
        return sum(self.weights.values())

    @cached_property
    def keys(self) -> list[Key]:
        """Every state."""
        return list(self.weights)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """The exact probability of every state."""
        return np.array(list(self.weights.values())) / self.evidence

    def tables(self, key: Key) -> tuple[np.ndarray, np.ndarray]:
        """Return every m (states, topics) and its probability given the partition."""
        return _tables(self, key)

    def moments(self) -> np.ndarray:
        """Return the exact means of τ_u, Σ τ_k² and K τ_u."""
        total = np.zeros(3)
        for key, probability in zip(self.keys, self.probabilities, strict=True):
            m, weight = self.tables(key)
            n = m.sum(axis=1) + self.gamma
            squares = (m * (m + 1)).sum(axis=1) / (n * (n + 1))
            means = [self.gamma / n, squares, len(key) * self.gamma / n]
            total += probability * np.array([weight @ mean for mean in means])
        return total

    def mean_tables(self) -> float:
        """Return the exact mean of the number of tables."""
        return sum(
            float(probability) * float(self.tables(key)[1] @ self.tables(key)[0].sum(axis=1))
            for key, probability in zip(self.keys, self.probabilities, strict=True)
        )

    def exact_states(self, n: int, seed: int) -> Iterator[State]:
        """Yield one state again and again, at exact draws of topics and sticks."""
        rng = np.random.default_rng(seed)
        own = random_generator(seed + 1)
        for i in rng.choice(len(self.keys), size=n, p=self.probabilities):
            key = self.keys[i]
            m, weight = self.tables(key)
            parts = rng.dirichlet(np.append(m[rng.choice(len(m), p=weight)], self.gamma))
            yield self.state(key, parts, own)

    def state(self, key: Key, parts: np.ndarray, rng: np.random.Generator) -> State:
        """Return a state of the model: the topics of a key, and their parts of the stick."""
        n_slots = n_slots_for(len(key))
        tau, numbers = np.zeros(n_slots), np.full(n_slots, FREE, dtype=np.int64)
        tau[: len(key)], numbers[: len(key)] = parts[:-1], np.arange(len(key))
        labels = np.arange(len(key))
        topics = [np.repeat(labels, np.array(key)[:, e]) for e in range(len(self.entries[2]))]
        return State(
            corpus=self.corpus,
            rng=rng,
            topics=np.concatenate(topics).astype(np.int32),
            tau=tau,
            numbers=numbers,
            rest=float(parts[-1]),
            n_born=len(key),
            levels=Levels(self.alpha0, self.gamma, check_beta(self.beta, len(self.matrix[0]))),
        )

    def key(self, topics: np.ndarray) -> Key:
        """Return the state of topics by any labels."""
        columns = np.zeros((int(topics.max()) + 1, len(self.entries[2])), dtype=int)
        np.add.at(columns, (topics, self.token_entries), 1)
        return key_of(columns)

    def without_words(self) -> HDPProblem:
        """Return the prior: the same without the words."""
        return replace(self, has_words=False)

    # --- for `one_step` and `long_chain`

    def observe(self, state: State) -> tuple[Key, tuple[float, float, float]]:
        """Return the partition, and τ_u, Σ τ_k² and K τ_u as the sweep left them."""
        state.free_empty_slots()
        rest, n_topics = state.rest, len(state.occupied)
        return self.key(state.positions()), (rest, float((state.tau**2).sum()), n_topics * rest)

    def positions(self, seen: Sequence[Any]) -> np.ndarray:
        """Return the number of each observed partition in ``keys``."""
        places = {key: i for i, key in enumerate(self.keys)}
        return np.array([places[key] for key, _ in seen])

    def judge(self, seen: Sequence[Any]) -> Verdict:
        """Compare partitions with their probabilities, and sticks with their exact moments."""
        p_keys = self.judge_keys([key for key, _ in seen])
        p_sticks = judge_moments(np.array([sticks for _, sticks in seen]), self.exact_moments)
        report = f"{len(seen)} draws: partitions p = {p_keys:.3g}, moments of τ p = {p_sticks:.3g}"
        return Verdict(min(1.0, 2 * min(p_keys, p_sticks)), report)

    def judge_keys(self, keys: Sequence[Key]) -> float:
        """Return the p-value of partitions."""
        seen = Counter(keys)
        observed = np.array([seen.pop(key, 0) for key in self.keys])
        if seen:
            raise AssertionError("a draw is not a state of the problem: its tokens do not add up")
        return chi_square(len(keys) * self.probabilities, observed)

    @cached_property
    def exact_moments(self) -> np.ndarray:
        """The exact means of τ_u, Σ τ_k² and K τ_u."""
        return self.moments()


def judge_moments(values: np.ndarray, exact: np.ndarray) -> float:
    """Return the p-value of the means of each column, times their number."""
    z = (values.mean(axis=0) - exact) / (values.std(axis=0) / np.sqrt(len(values)))
    return float(min(1.0, len(exact) * 2 * stats.norm.sf(np.abs(z).max())))


@cache
def _tables(problem: HDPProblem, key: Key) -> tuple[np.ndarray, np.ndarray]:
    n_dk = problem.by_doc(key)
    cells = [(d, k) for d, k in zip(*np.nonzero(n_dk), strict=True)]
    found, weights = [], []
    for m in itertools.product(*(range(1, n_dk[cell] + 1) for cell in cells)):
        by_topic, weight = np.zeros(len(key), dtype=int), problem.gamma ** len(key)
        for (d, k), tables in zip(cells, m, strict=True):
            by_topic[k] += tables
            weight *= stirling(int(n_dk[d, k]), tables) * problem.alpha0**tables
        weight /= rising(problem.gamma, int(by_topic.sum()))
        found.append(by_topic)
        weights.append(weight * np.prod([float(factorial(n - 1)) for n in by_topic]))
    return np.array(found), np.array(weights) / sum(weights)
