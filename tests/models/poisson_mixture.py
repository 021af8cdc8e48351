"""A third model with blocks: a Dirichlet process mixture of counts, Poisson with a Gamma prior.

All that it has is what `BlockSweep` asks of a model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import gammaln

from blocklda.models.blocks import BlockSweep, Leaves, ratios_multiplied
from blocklda.models.scaled import Scaled, scaled

SHAPE, RATE = 2.0, 0.7
"""Of the Gamma prior of a component's mean."""


def log_marginal(n: int, total: int) -> float:
    """Return log p of n counts that sum to ``total``, but for their factorials."""
    prior = SHAPE * math.log(RATE) - gammaln(SHAPE)
    return float(prior + gammaln(SHAPE + total) - (SHAPE + total) * math.log(RATE + n))


class PoissonMixture(BlockSweep):
    """Counts in components; equal counts move at once."""

    def __init__(self, values: Sequence[int], alpha: float, rng: np.random.Generator) -> None:
        super().__init__(rng, alpha)
        self.values, self.labels = list(values), list(range(len(values)))
        self.sizes = [1] * len(values)
        self.totals = list(values)

    def sweep(self) -> None:
        """Move the counts of each value once."""
        for value in sorted(set(self.values)):
            self.move_block([i for i, x in enumerate(self.values) if x == value])

    def take_out(self, items: Sequence[int]) -> None:
        for i in items:
            self.change(i, self.labels[i], -1)

    def put_in(self, items: Sequence[int], components: Sequence[int]) -> None:
        for i, component in zip(items, components, strict=True):
            self.labels[i] = component
            self.change(i, component, +1)

    def change(self, item: int, component: int, sign: int) -> None:
        self.sizes[component] += sign
        self.totals[component] += sign * self.values[item]

    def born(self, taken: Sequence[int]) -> int:
        return next(c for c, n in enumerate(self.sizes) if n == 0 and c not in taken)

    def leaves(self, item: int, m: int) -> Leaves:
        value = self.values[item]
        living = [c for c, n in enumerate(self.sizes) if n > 0]
        series = [
            ratios_multiplied(
                [
                    scaled((self.sizes[c] + j) / (j + 1) * self.likelihood(c, value, j))
                    for j in range(m)
                ]
            )
            for c in living
        ]
        new = ratios_multiplied([scaled(self.likelihood(None, value, j)) for j in range(m)])
        return Leaves(living, series, new)

    def likelihood(self, component: int | None, value: int, copies: int) -> float:
        """Return p(one more of a value) in a component that has some copies more."""
        n, total = (0, 0) if component is None else (self.sizes[component], self.totals[component])
        n, total = n + copies, total + copies * value
        return math.exp(log_marginal(n + 1, total + value) - log_marginal(n, total))


def posterior(values: Sequence[int], alpha: float) -> dict[tuple[int, ...], float]:
    """Return the probability of every partition, as labels in the order of first use."""
    weights = {}
    for labels in partitions(len(values)):
        log_weight = 0.0
        for c in range(max(labels) + 1):
            members = [x for x, label in zip(values, labels, strict=True) if label == c]
            log_weight += math.log(alpha) + gammaln(len(members))
            log_weight += log_marginal(len(members), sum(members))
        weights[labels] = math.exp(log_weight)
    whole = sum(weights.values())
    return {labels: weight / whole for labels, weight in weights.items()}


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """Yield all partitions of n items."""
    if n == 0:
        yield ()
        return
    for labels in partitions(n - 1):
        for label in range(max(labels, default=-1) + 2):
            yield (*labels, label)


class WithoutOneOverJ(PoissonMixture):
    """A mutant: a new component of j counts weighs α F(j)."""

    def leaves(self, item: int, m: int) -> Leaves:
        right = super().leaves(item, m)
        assert right.new is not None
        by_size: list[Scaled] = [scaled(x * max(j, 1), e) for j, (x, e) in enumerate(right.new)]
        return Leaves(right.components, right.series, by_size)


class OneToThePower(PoissonMixture):
    """A mutant: j counts have the likelihood of one to the power j."""

    def likelihood(self, component: int | None, value: int, copies: int) -> float:
        return super().likelihood(component, value, 0)


class DealtInOrder(PoissonMixture):
    """A mutant: the first counts of a block are in the first components."""

    def dealt(self, components: list[int]) -> list[int]:
        return sorted(components)


MUTANTS: dict[str, type[PoissonMixture]] = {
    "without 1/j": WithoutOneOverJ,
    "likelihood to the power j": OneToThePower,
    "dealt in order": DealtInOrder,
}
