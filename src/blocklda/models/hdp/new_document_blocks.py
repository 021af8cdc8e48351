"""All tokens of a word of a new document at once: which go to topics of the document's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blocklda.models.hdp.own_topics import OwnTopics
from blocklda.support.arrays import Floats, Ints

__all__ = ["WordBlock"]


class WordBlock:
    """The tokens of a word, taken out: how many go to the document's own topics, and which.

    Of topics that nobody has they may enter one: a block that holds several topics by itself is
    spread, and stays. ``held`` is n_dk + α₀τ_k without the block. The topics of the fit weigh
    Q_j = [x^j] ∏_k (1 − φ_kv x)^(−a_k) together: j Q_j = Σ_i P_i Q_(j−i), P_i = Σ_k a_k φ_kv^i.
    """

    def __init__(
        self, held: Floats, phi: Floats, own: OwnTopics, word: int, tokens: list[int]
    ) -> None:
        self.held, self.phi, self.own, self.word, self.tokens = held, phi, own, word, tokens
        inside = [own.place[t] for t in tokens if t in own.place]
        self.had_own = bool(inside)
        alone = {id(one) for one in inside if one.size == sum(one is other for other in inside)}
        self.is_spread = len(alone) > 1
        self.places: Ints = np.full(len(tokens), -1, dtype=np.int64)

    def draw(self, generator: np.random.Generator, *, must_leave: bool) -> bool:
        """Draw where the tokens go; return whether anything was changed.

        ``must_leave``: it was drawn already that some go to topics of the document's own.
        """
        size = len(self.tokens)
        for token in self.tokens:
            if token in self.own.place:
                self.own.remove(token, self.word)
        old = self._old_series(size)
        series = self.own.series(self.word, size)
        rest = self._products(series)
        weights = [rest[-1][j] * old[size - j] for j in range(size + 1)]
        if must_leave:
            weights[0] = 0.0
        n_own = _drawn(weights, generator)
        if n_own == 0 and not self.had_own:
            return False
        order = generator.permutation(size)
        self._deal_own([self.tokens[i] for i in order[:n_own]], series, rest, generator)
        self._deal_old(order[n_own:], old, generator)
        return True

    def _old_series(self, size: int) -> list[float]:
        powers, sums = self.held * self.phi, [0.0]
        for _ in range(size):
            sums.append(float(powers.sum()))
            powers = powers * self.phi
        old = [1.0]
        for j in range(1, size + 1):
            old.append(sum(sums[i] * old[j - i] for i in range(1, j + 1)) / j)
        return old

    @staticmethod
    def _products(series: Sequence[Sequence[float]]) -> list[list[float]]:
        """Return the products of the first one, two, … series."""
        products = [list(series[0])]
        for row in series[1:]:
            last = products[-1]
            products.append(
                [sum(last[j - i] * row[i] for i in range(j + 1)) for j in range(len(row))]
            )
        return products

    def _deal_own(
        self,
        tokens: list[int],
        series: Sequence[Sequence[float]],
        products: Sequence[Sequence[float]],
        generator: np.random.Generator,
    ) -> None:
        for at in range(len(series) - 1, -1, -1):
            left = len(tokens)
            before = products[at - 1] if at else [1.0] + [0.0] * left
            weights = [series[at][j] * before[left - j] for j in range(left + 1)]
            taken = _drawn(weights, generator)
            if taken:
                self.own.add_block(tokens[left - taken :], self.word, at)
                tokens = tokens[: left - taken]

    def _deal_old(self, order: Ints, old: Sequence[float], generator: np.random.Generator) -> None:
        left = len(order)
        while left:
            powers = [self.held * self.phi**i for i in range(1, left + 1)]
            sums = [float(row.sum()) * old[left - i] for i, row in enumerate(powers, start=1)]
            size = 1 + _drawn(sums, generator)
            topic = _drawn(powers[size - 1], generator)
            self.places[order[left - size : left]] = topic
            left -= size


def _drawn(weights: Sequence[float] | Floats, generator: np.random.Generator) -> int:
    """Return a number with a probability in proportion to its weight."""
    ends = np.cumsum(weights)
    point = generator.random() * ends[-1]
    return min(int(np.searchsorted(ends, point, side="right")), len(ends) - 1)
