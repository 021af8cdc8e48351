"""Topics that nobody has yet: what is left of a stick, cut when a topic is born.

What is left, τ_u, is divided among infinitely many topics as τ_u·DP(γ). With A = α₀τ_u the weight
of j tokens of a word in one of them, its own part integrated out, is

    N_j = β_v^(j) / B^(j) · Σ_m W(j, m),
    W(1, 1) = A,   W(j, m) = ((j−1) W(j−1, m) + A (m−1) / (γ+m−1) W(j−1, m−1)) / j,

m being the number of tables at which the tokens would sit. Given m the new topic takes the share
Beta(m, γ) of the rest. 1 − Beta(m, γ) is a product of Beta(γ + i, 1), i < m, and so exp(−x) for a
sum x of exponential variates.
"""

from __future__ import annotations

import numpy as np

from blocklda.models.hdp.state import FREE, State
from blocklda.models.lda.reference import elementary

__all__ = ["FREE_TOTAL", "OutOfSlotsError", "Stick"]

FREE_TOTAL = 1e300
"""A slot that no topic has divides by this, as the padding of the kernels does."""

SMALLEST = float(np.finfo(np.float64).tiny)

SHORT_CUT = 1e-5
"""Below this share 1 − exp(−x) would lose digits, and x − x²/2 has ten of them."""


class OutOfSlotsError(Exception):
    """A topic was born and no slot was free."""


class Stick:
    """The sticks of a state while it is swept; ``alpha`` is α₀τ and ``beta_sum`` B, by slot."""

    def __init__(self, state: State, largest: int) -> None:
        self.state, self.rng, self.largest = state, state.rng, largest
        levels = state.levels
        self.alpha0, self.gamma = levels.alpha0, levels.gamma
        self.words = levels.word_prior(state.corpus.n_words)
        self.total = self.words.total
        self.alpha = levels.alpha0 * state.tau
        self.beta_sum = np.where(state.numbers == FREE, FREE_TOTAL, self.total)
        self.weights: list[float] = []
        self.tables: list[list[float]] = []
        self.ratios = self.ratios_of(0)
        self.weigh()

    def ratios_of(self, word: int) -> list[float]:
        """Return β_v^(j) / B^(j)."""
        beta, ratios = self.words.at(word), [1.0]
        for j in range(self.largest):
            ratios.append(ratios[-1] * ((beta + j) / (self.total + j)))
        return ratios

    def use_word(self, word: int) -> None:
        """Weigh tokens of a word from now on."""
        if not self.words.is_equal:
            self.ratios = self.ratios_of(word)
            self.weigh()

    def weigh(self) -> None:
        """Compute W(j, m) and N_j for the present rest of the stick."""
        A, gamma = self.alpha0 * self.state.rest, self.gamma
        self.tables = [[0.0] * (self.largest + 2)]
        for j in range(1, self.largest + 1):
            before = self.tables[-1]
            row = [0.0] * (self.largest + 2)
            for m in range(1, j + 1):
                more = A * ((m - 1) / (gamma + (m - 1))) * before[m - 1]
                row[m] = A if j == 1 else ((j - 1) * before[m] + more) / j
            self.tables.append(row)
        self.sums = [running_sum(row[1 : j + 1]) for j, row in enumerate(self.tables)]
        self.weights = [ratio * total for ratio, total in zip(self.ratios, self.sums, strict=True)]

    def weight(self, count: int) -> float:
        """Return N_j of the word in use."""
        return self.weights[count]

    def born(self, count: int) -> int:
        """Return the slot of a new topic that begins with so many tokens of a word, or a table."""
        state = self.state
        free = np.flatnonzero(state.numbers == FREE)
        if not free.size:
            raise OutOfSlotsError
        slot = int(free[0])
        self.cut(1 if count == 1 else self.drawn_tables(count), slot)
        state.numbers[slot] = state.n_born
        state.n_born += 1
        self.weigh()
        return slot

    def drawn_tables(self, count: int) -> int:
        """Draw m with the weights W(count, m)."""
        point, m = self.rng.random() * self.sums[count], 1
        while m < count and point >= self.tables[count][m]:
            point -= self.tables[count][m]
            m += 1
        return m

    def cut(self, m: int, slot: int) -> None:
        """Give a slot the share Beta(m, γ) of the rest."""
        state, x = self.state, 0.0
        for i in range(m):
            x += -elementary.log(1.0 - self.rng.random()) / (self.gamma + i)
        left = elementary.exp(-x)
        share = x * (1.0 - x / 2.0) if x < SHORT_CUT else 1.0 - left
        state.tau[slot] = max(state.rest * share, SMALLEST)
        self.alpha[slot] = self.alpha0 * state.tau[slot]
        self.beta_sum[slot] = self.total
        state.rest = max(state.rest * left, SMALLEST)


def running_sum(numbers: list[float]) -> float:
    """Return a sum taken from left to right."""
    total = 0.0
    for number in numbers:
        total += number
    return total
