"""The background of a block: all topics that are not leaves of it, of which it may enter one."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from blocklda.models.lda.reference.draw import lane_ends, lanes_of, topic_at
from blocklda.models.lda.reference.major_row import MajorRow
from blocklda.support.arrays import Bools, Floats

__all__ = ["NEW_TOPIC", "NO_NEW_TOPICS", "Background", "NewTopics"]

NEW_TOPIC = -2
"""Stands for a topic without tokens."""


class NewTopics(Protocol):
    """Topics without tokens, one of which a block may enter."""

    def weight(self, count: int) -> float:
        """Return the weight of ``count`` tokens of a word in one of them."""

    def born(self, count: int) -> int:
        """Return the slot of a topic that begins with this many tokens."""


class NoNewTopics:
    """A model whose number of topics is fixed."""

    def weight(self, count: int) -> float:
        """Return 0."""
        return 0.0

    def born(self, count: int) -> int:
        """Never be called, since a new topic weighs nothing."""
        raise NotImplementedError


NO_NEW_TOPICS = NoNewTopics()


class Background:
    """Weights R_j of j tokens in one background topic: upper bounds first, the truth if needed.

    For a topic without tokens in the list q_k(j) is t_k(j), with t_k(1) = r_k g_k and

        t_k(j) = t_k(j − 1) (r_k + j − 1)(b_k + j − 1) / (j (c_k + j − 1)),

    and R_j is its sum over the background. Most blocks never go there, so R_j is bounded by what
    holds for all topics, leaves or not:

        (b_k + i) / (c_k + i) = g_k + (1 − g_k) i / (c_k + i) ≤ g_k + i / (min c + i).

    In a group of words, where g_k = μ_k b_k / c_k with the mass μ_k, likewise

        μ_k (b_k + i) / (c_k + i) = g_k + (μ_k − g_k) i / (c_k + i) ≤ g_k + max μ · i / (min c + i).

    A topic that has lost its last token leaves a tiny prior in c_k, and g_k may be so large that
    its powers are no numbers any more. Then max μ (max b + i) / (min c + i) is the lesser bound.

    The row's running sums of r_k g_k and r_k g_k² bound R_1 and R_2, and the largest g_k takes it
    on from there. A draw that ends in the background holds with the probability R_j / bound, and
    else is repeated with the true R_j in the place of that bound. Whatever the bounds are, what
    holds in the end has the exact distribution.

    New topics, where there are any, are one more topic of the background, whose weight is exact.
    """

    def __init__(
        self,
        row: MajorRow,
        outside: Bools | None,
        size: int,
        new_topics: NewTopics = NO_NEW_TOPICS,
    ) -> None:
        self.row = row
        self.new_topics = new_topics
        self.outside = outside
        self.size = size
        self.bounds = [1.0]

    def start(self, emptied: int | None) -> None:
        """Set the bounds, which are 0 when all topics are leaves.

        ``emptied`` is the topic that the block alone has held. Without the block's tokens it may
        weigh more than with them.
        """
        row = self.row
        if self.outside is None:
            self.bounds = [1.0] + [0.0] * self.size
            return
        total, squares = row.bound(), row.bound_of_squares()
        g, c = row.largest_g, row.smallest_c
        if emptied is not None:
            g_left = row.weight_of(emptied, row.b[emptied], row.c[emptied])
            weight = row.prior[emptied] * g_left
            total, squares = total + weight, squares + weight * g_left
            g, c = max(g, g_left), min(c, row.c[emptied])
        factors = [(float(row.prior.max()) + i) / (i + 1) for i in range(self.size)]
        slacks = [i / (c + i) * row.largest_mass for i in range(self.size)]
        largest = [row.largest_mass * ((row.largest_b + i) / (c + i)) for i in range(1, self.size)]
        second = squares + slacks[1] * total
        if g > 1.0:
            second = min(second, total * largest[0])
        self.bounds = [1.0, float(total), float(factors[1] * second)]
        for i in range(2, self.size):
            rate = g + slacks[i]
            if rate > 1.0:
                rate = min(rate, largest[i - 1])
            self.bounds.append(float(self.bounds[-1] * (factors[i] * rate)))
        for j in range(1, self.size + 1):
            self.bounds[j] += self.new_topics.weight(j)

    def topic_at(self, count: int, point: float) -> int | None:
        """Return the topic at a point below the bound, or None if it lies above the true weight.

        The true weight then becomes the bound. NEW_TOPIC stands for one without tokens.
        """
        weights = self.weights(count)
        true = float(lane_ends(lanes_of(weights)[-1])[-1])
        if point < true:
            return topic_at(weights, point)
        true += self.new_topics.weight(count)
        if point < true:
            return NEW_TOPIC
        self.bounds[count] = true
        return None

    def weights(self, count: int) -> Floats:
        """Return t_k(count) of the background topics, and 0 for the leaves."""
        r, b, c, mass = self.row.prior, self.row.b, self.row.c, self.row.masses
        term = r * ((b / c) * mass)
        for j in range(2, count + 1):
            n = j - 1
            term = term * ((r + n) * ((b + n) / (j * (c + n)) * mass))
        return np.where(self.outside, term, 0.0)  # type: ignore[arg-type]
