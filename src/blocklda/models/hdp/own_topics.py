"""Topics that a single new document has for itself, with their words integrated out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from blocklda.models.hdp.state import Levels
from blocklda.models.hdp.word_prior import WordPrior
from blocklda.support.arrays import AnyInts, Floats

__all__ = ["OwnTopics"]


@dataclass(eq=False)
class OwnTopic:
    """A topic that only one document has: its part of the stick, and its tokens by word."""

    tau: float
    words: dict[int, int] = field(default_factory=dict)
    size: int = 0

    def add(self, word: int, by: int) -> None:
        """Take tokens of a word in, or out."""
        self.words[word] = self.words.get(word, 0) + by
        self.size += by


class OwnTopics:
    """What is left of the stick, cut up by one document.

    A token enters own topic l with the weight (n_l + α₀τ_l)(n_lv + β_v) / (n_l + B), and one that
    nobody has with α₀τ_u β_v / B, which then takes the share Beta(1, γ) of τ_u.
    """

    def __init__(
        self, levels: Levels, words: WordPrior, rest: float, generator: np.random.Generator
    ) -> None:
        self.levels, self.words = levels, words
        self.total_rest = self.rest = rest
        self.generator = generator
        self.living: list[OwnTopic] = []
        self.place: dict[int, OwnTopic] = {}
        """The topics of those tokens that have one of these."""

    @property
    def n_tokens(self) -> int:
        """How many tokens have one of these topics."""
        return len(self.place)

    def remove(self, token: int, word: int) -> None:
        """Take a token out; an empty topic gives its part of the stick back."""
        topic = self.place.pop(token)
        topic.add(word, -1)
        if topic.size == 0:
            self.rest += topic.tau
            self.living.remove(topic)

    def weights(self, word: int) -> list[float]:
        """Return the weights of the living topics for a token, and last that of a new one."""
        alpha0 = self.levels.alpha0
        old = [(one.size + alpha0 * one.tau) * self.share(one, word) for one in self.living]
        return [*old, alpha0 * self.rest * self.words.share(word)]

    def add(self, token: int, word: int, point: float, weights: Sequence[float]) -> None:
        """Put a token into the topic at a point of their weights, or behind them into a new one."""
        at = int(np.searchsorted(np.cumsum(weights[:-1]), point, side="right"))
        if at == len(self.living):
            cut = float(self.generator.beta(1.0, self.levels.gamma))
            self.living.append(OwnTopic(cut * self.rest))
            self.rest *= 1.0 - cut
        self.place[token] = self.living[at]
        self.living[at].add(word, 1)

    def series(self, word: int, size: int) -> list[list[float]]:
        """Return what 0 … ``size`` tokens of a word weigh in each living topic, last in a new one.

        j of them weigh (n_l + α₀τ_l)^(j) (n_lv + β_v)^(j) / (j! (n_l + B)^(j)) in a topic, x^(j) is
        a rising factorial; in one new topic N_j, its own part of the stick integrated out.
        """
        beta, total = self.words.at(word), self.words.total
        found = []
        for one in self.living:
            a, b = one.size + self.levels.alpha0 * one.tau, one.words.get(word, 0) + beta
            row = [1.0]
            for i in range(size):
                row.append(row[-1] * (a + i) * (b + i) / ((i + 1) * (one.size + total + i)))
            found.append(row)
        return [*found, self.new_series(beta, size)]

    def new_series(self, beta: Any, size: int) -> list[Any]:
        """Return N_j, j = 0 … ``size``: what j tokens of a word, or of each of several, weigh."""
        new, ratio = [1.0], 1.0
        for j, tables in enumerate(self.table_weights(size)):
            ratio = ratio * self.ratio(beta, j)
            new.append(ratio * sum(tables))
        return new

    def ratio(self, beta: Any, j: int) -> Any:
        """Return the factor that the words of j tokens gain with one token more."""
        return (beta + j) / (self.words.total + j)

    def table_weights(self, size: int) -> list[list[float]]:
        """Return W(j, m), j = 1 … ``size``: tokens of a new topic at m = 1 … j tables."""
        A, gamma = self.levels.alpha0 * self.rest, self.levels.gamma
        rows = [[A]]
        for j in range(2, size + 1):
            before = [*rows[-1], 0.0]
            rows.append(
                [
                    ((j - 1) * before[m - 1] + (A * (m - 1) / (gamma + m - 1) * before[m - 2])) / j
                    if m > 1
                    else (j - 1) * before[0] / j
                    for m in range(1, j + 1)
                ]
            )
        return rows

    def add_block(self, tokens: Sequence[int], word: int, at: int) -> None:
        """Put tokens of a word into living topic ``at``, or behind them into a new one."""
        if at == len(self.living):
            weights = np.array(self.table_weights(len(tokens))[-1])
            m = 1 + int(self.generator.choice(len(weights), p=weights / weights.sum()))
            cut = float(self.generator.beta(m, self.levels.gamma))
            self.living.append(OwnTopic(cut * self.rest))
            self.rest *= 1.0 - cut
        for token in tokens:
            self.place[token] = self.living[at]
            self.living[at].add(word, 1)

    def share(self, topic: OwnTopic, word: int) -> float:
        """Return the probability of a word in a topic."""
        return (topic.words.get(word, 0) + self.words.at(word)) / (topic.size + self.words.total)

    def draw_sticks(self) -> None:
        """Draw the parts of the topics given the tables at which their tokens sit."""
        if not self.living:
            return
        tables = [self._drawn_tables(one) for one in self.living]
        parts = self.total_rest * self.generator.dirichlet([*tables, self.levels.gamma])
        for one, part in zip(self.living, parts[:-1], strict=True):
            one.tau = float(part)
        self.rest = float(parts[-1])

    def _drawn_tables(self, topic: OwnTopic) -> int:
        """Draw at how many tables the tokens of a topic sit."""
        a = self.levels.alpha0 * topic.tau
        seated = self.generator.random(topic.size - 1) < a / (a + np.arange(1, topic.size))
        return 1 + int(seated.sum())

    def weights_of(self, words: AnyInts) -> Floats:
        """Return the weights of words in all of these topics and a new one together."""
        alpha0, beta = self.levels.alpha0, self.words.of(words)
        found = alpha0 * self.rest * self.words.shares(words)
        for one in self.living:
            held = np.array([one.words.get(word, 0) for word in words.tolist()])
            shares = (held + beta) / (one.size + self.words.total)
            found += (one.size + alpha0 * one.tau) * shares
        return found
