"""Blocks of interchangeable items in any model whose components come from a Dirichlet process.

Items that are alike (tokens of one word in one document, documents with the same words) move at
once. A model gives three things and inherits the rest:

1. the series of each component, q_c(0), …, q_c(m): what j of the items weigh in it (``leaves``);
2. its new leaf: F(0), …, F(m), the likelihood of j items in a component of their own (``leaves``);
3. removal and return: ``take_out``, ``put_in`` and ``born``.

One new component of j items weighs α F(j) / j, since a Dirichlet process gives it α (j−1)! and the
items are interchangeable. Any number of new components together weigh

    U(x) = exp(α Σ_j F(j) x^j / j),   j U_j = α Σ_i F(i) U_(j−i),

and m items are distributed as the coefficient of x^m in U(x) ∏_c Q_c(x).
See docs/how-to/adding-a-model.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.reference.draw import shuffle_tokens
from blocklda.models.scaled import ONE, ZERO, Scaled, draw_place, product, scaled, total
from blocklda.support.arrays import Int32s

__all__ = ["BlockSweep", "Leaves", "Series", "ratios_multiplied"]

Series = list[Scaled]
"""Coefficients of a power series, from that of x^0 on."""


@dataclass(frozen=True)
class Leaves:
    """What the items of a block weigh: by component, and in a new one (None if there is none)."""

    components: list[int]
    series: list[Series]
    new: Series | None


class BlockSweep(ABC):
    """Draws of blocks, each by its exact conditional given all other items.

    ``alpha`` is the concentration of the Dirichlet process. A method per quantity, so that a test
    can replace one.
    """

    def __init__(self, rng: np.random.Generator, alpha: float) -> None:
        self.rng, self.alpha, self.n_steps = rng, alpha, 0

    # --- what a model gives

    @abstractmethod
    def take_out(self, items: Sequence[int]) -> None:
        """Take items out of all counts; components that they alone held are then empty."""

    @abstractmethod
    def leaves(self, item: int, m: int) -> Leaves:
        """Return the weights of up to m items like this one, which are in no count."""

    @abstractmethod
    def born(self, taken: Sequence[int]) -> int:
        """Return a new component; those in ``taken`` have items already that are not counted."""

    @abstractmethod
    def put_in(self, items: Sequence[int], components: Sequence[int]) -> None:
        """Give the items their components, and count them there."""

    # --- what it inherits

    def move_block(self, items: Sequence[int]) -> None:
        """Draw the components of items that are alike given all others."""
        self.take_out(items)
        self.put_in(items, self.dealt(self.drawn(items[0], len(items))))

    def dealt(self, components: list[int]) -> list[int]:
        """Return which item goes where: every way to deal them out is equally likely."""
        places: Int32s = np.array(components, dtype=np.int32)
        shuffle_tokens(places, self.rng)
        return [int(component) for component in places]

    def drawn(self, item: int, m: int) -> list[int]:
        """Draw the components of m items, in no particular order.

        Products of series run from the first component to the last, draws from the last to the
        first; what is left then is new.
        """
        leaves = self.leaves(item, m)
        U = self.any_new(leaves.new, m)
        below = [U]
        for series in leaves.series:
            below.append(_convolved(series, below[-1], m))
        drawn: list[int] = []
        for i in range(len(leaves.components) - 1, -1, -1):
            left = m - len(drawn)
            if left == 0:
                break
            n = self.draw(_products(leaves.series[i], below[i], left))
            drawn += [leaves.components[i]] * n
        if leaves.new is not None:
            for j in self.draw_new(leaves.new, U, m - len(drawn)):
                drawn += [self.born(drawn)] * j
        return drawn

    def any_new(self, F: Series | None, m: int) -> Series:
        """Return U_0, …, U_m."""
        if F is None:
            return [ONE] + [ZERO] * m
        U = [ONE]
        for j in range(1, m + 1):
            sum_of_sizes = total(_products(F[1:], U, j - 1))
            U.append(product(sum_of_sizes, scaled(self.alpha / float(j))))
        return U

    def draw_new(self, F: Series, U: Series, left: int) -> list[int]:
        """Draw the sizes of new components: the first item's has j with weight F(j) U_(c−j)."""
        sizes = []
        while left:
            j = 1 + self.draw(_products(F[1:], U, left - 1))
            sizes.append(j)
            left -= j
        return sizes

    def draw(self, weights: Series) -> int:
        """Draw a place by its weight."""
        self.n_steps += 1
        return draw_place(weights, self.rng.random())


def ratios_multiplied(ratios: Sequence[Scaled]) -> Series:
    """Return the series whose coefficients have these ratios, from 1 on."""
    series = [ONE]
    for ratio in ratios:
        series.append(product(series[-1], ratio))
    return series


def _products(first: Series, second: Series, n: int) -> Series:
    """Return first[i] · second[n − i] for i = 0, …, n."""
    return [product(first[i], second[n - i]) for i in range(n + 1)]


def _convolved(first: Series, second: Series, m: int) -> Series:
    """Return the coefficients up to x^m of the product of two series."""
    return [total(_products(first, second, n)) for n in range(m + 1)]
