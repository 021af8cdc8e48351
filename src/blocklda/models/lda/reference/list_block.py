"""A block of tokens drawn at once over the topics of a list, the background being one more leaf.

With m_k the list's count of topic k (the block taken out) and a_k = m_k + r_k, the leaf of k is

    q_k(n) = q_k(n − 1) (a_k + n − 1)(b_k + n − 1) / (n (c_k + n − 1)),   q_k(0) = 1,

the same as for the dense samplers; in a group of words with the factor μ_k for every token. The
list lies in rows of LANES topics; each lane multiplies its leaves row by row, then the lanes are
multiplied in pairs: lane l and l + 4, of those i and i + 2, and the last two. Tokens are drawn back
along the same tree.
"""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.priors import LANES, padded_length
from blocklda.models.lda.reference.background import NO_NEW_TOPICS, Background, NewTopics
from blocklda.models.lda.reference.convolve import convolve
from blocklda.models.lda.reference.draw import check_total, lane_ends
from blocklda.models.lda.reference.major_row import MajorRow
from blocklda.support.arrays import Bools, Floats, Ints

__all__ = ["ListBlock"]


ROOT = 3
"""Levels of the tree: 0 the lanes, 1 pairs of lanes, 2 pairs of those, 3 all."""


class ListBlock:
    """The conditional of a block, restricted to at most one topic of the background."""

    def __init__(
        self,
        row: MajorRow,
        listed: Ints,
        counts: Ints,
        is_leaf: Bools | None,
        size: int,
        rng: np.random.Generator,
        new_topics: NewTopics = NO_NEW_TOPICS,
    ) -> None:
        self.row, self.listed, self.size, self.rng = row, listed, size, rng
        self.steps = 0
        outside = None
        if is_leaf is not None:
            outside = np.ones(len(row.b), dtype=bool)
            outside[listed[is_leaf]] = False
        self.background = Background(row, outside, size, new_topics)
        self.leaves = self.weigh_leaves(counts, is_leaf)
        self.products = [self.leaves[0]]
        for leaf in self.leaves[1:]:
            self.products.append(convolve(self.products[-1], leaf, by_fft=False))
        self.levels = [self.products[-1]]
        for half in (4, 2, 1):
            below = self.levels[-1]
            self.levels.append(convolve(below[:, :half], below[:, half:], by_fft=False))
        self.placed: list[tuple[int, int]] = []

    def weigh_leaves(self, counts: Ints, is_leaf: Bools | None) -> Floats:
        """Return q_k(n), shape (rows, size + 1, LANES); what is no leaf is 1."""
        row = self.row
        m = counts.astype(np.float64)
        a = m + row.prior[self.listed]
        if is_leaf is not None:
            a = np.where(is_leaf, a, 0.0)
        b, c, mass = row.b[self.listed], row.c[self.listed], row.masses[self.listed]
        q = np.zeros((self.size + 1, padded_length(len(m))))
        q[0] = 1.0
        for j in range(1, self.size + 1):
            n = j - 1
            factor = (a + n) * ((b + n) / (j * (c + n)) * mass)
            q[j, : len(m)] = factor if j == 1 else q[j - 1, : len(m)] * factor
        return np.ascontiguousarray(q.reshape(self.size + 1, -1, LANES).transpose(1, 0, 2))

    def draw(self, u: float, emptied: int | None) -> list[tuple[int, int]]:
        """Return the occupied topics and how many tokens each has."""
        size, background = self.size, self.background
        ends = lane_ends(self.levels[0][size])
        in_one_lane = float(ends[-1])
        mixed = [
            self._inner(level, node, size)
            for level, nodes in ((1, 4), (2, 2), (3, 1))
            for node in range(nodes)
        ]
        mixed_total = ((mixed[0] + mixed[1]) + (mixed[2] + mixed[3])) + (
            (mixed[4] + mixed[5]) + mixed[6]
        )
        background.start(emptied)
        while True:
            total = check_total((in_one_lane + mixed_total) + self._outside())
            self.placed = []
            self.steps += 1
            point = u * total
            if point < in_one_lane:
                lane = int(np.searchsorted(ends[:-1], point, side="right"))
                self._place_in_lane(lane, size, point - ends[lane - 1] if lane else point)
                return self.placed
            point -= in_one_lane
            if point < mixed_total:
                self._place_mixed(mixed, point)
                return self.placed
            count = self._count_outside(point - mixed_total)
            topic = background.topic_at(count, self.rng.random() * background.bounds[count])
            if topic is not None:
                self._place_anew(ROOT, 0, size - count)
                return [*self.placed, (topic, count)]
            u = self.rng.random()

    def _outside(self) -> float:
        """Return the weight of all ways to have some tokens in the background."""
        bounds, root = self.background.bounds, self.levels[ROOT][:, 0]
        weight = bounds[self.size]
        for j in range(1, self.size):
            weight += bounds[j] * root[self.size - j]
        return float(weight)

    def _count_outside(self, point: float) -> int:
        """Return how many tokens go into the background."""
        bounds, root = self.background.bounds, self.levels[ROOT][:, 0]
        count, weight = self.size, bounds[self.size]
        for j in range(1, self.size):
            if point < weight:
                break
            point -= weight
            count, weight = j, bounds[j] * root[self.size - j]
        return count

    def _children(self, level: int, node: int) -> tuple[Floats, Floats, int]:
        below = self.levels[level - 1]
        right = node + below.shape[1] // 2
        return below[:, node], below[:, right], right

    def _inner(self, level: int, node: int, count: int) -> float:
        """Return the weight of all ways to have tokens on both sides of a node."""
        left, right, _ = self._children(level, node)
        weight = right[1] * left[count - 1]
        for n in range(2, count):
            weight += right[n] * left[count - n]
        return float(weight)

    def _place_mixed(self, mixed: list[float], point: float) -> None:
        """Choose the node that has all tokens, some on either side."""
        which = 0
        while which < len(mixed) - 1 and point >= mixed[which]:
            point -= mixed[which]
            which += 1
        level = 1 if which < 4 else 2 if which < 6 else 3
        self._split(level, which - {1: 0, 2: 4, 3: 6}[level], self.size, point)

    def _split(self, level: int, node: int, count: int, point: float) -> None:
        """Let n tokens go left with the weight h_left(n) h_right(count − n), 0 < n < count."""
        left, right, right_node = self._children(level, node)
        n = 1
        while n < count - 1:
            weight = left[n] * right[count - n]
            if point < weight:
                break
            point -= weight
            n += 1
        self._place_anew(level - 1, node, n)
        self._place_anew(level - 1, right_node, count - n)

    def _place_anew(self, level: int, node: int, count: int) -> None:
        if count == 0:
            return
        self.steps += 1
        self._place(level, node, count, self.rng.random() * self.levels[level][count, node])

    def _place(self, level: int, node: int, count: int, point: float) -> None:
        """Place tokens in a node, ``point`` being uniform below its h(count).

        As long as all go the same way the point stays uniform there.
        """
        while level > 0:
            left, right, right_node = self._children(level, node)
            if point >= left[count]:
                point -= left[count]
                if count > 1 and point >= right[count]:
                    self._split(level, node, count, point - right[count])
                    return
                node = right_node
            level -= 1
        self._place_in_lane(node, count, point)

    def _place_in_lane(self, lane: int, count: int, point: float) -> None:
        """Go back along a lane from its last row, ``point`` being uniform below its h(count).

        A leaf that gets nothing leaves the point uniform below the product of the rows before it.
        """
        for row in range(len(self.leaves) - 1, 0, -1):
            leaf, before = self.leaves[row][:, lane], self.products[row - 1][:, lane]
            chosen = 0
            if point < leaf[count] or not before[count] > 0:
                chosen = count
            else:
                point -= leaf[count]
                for n in range(1, count):
                    weight = leaf[n] * before[count - n]
                    if point < weight:
                        chosen = n
                        break
                    point -= weight
            if chosen == 0:
                continue
            self._put(row * LANES + lane, chosen)
            count -= chosen
            if count == 0:
                return
            self.steps += 1
            point = self.rng.random() * before[count]
        self._put(lane, count)

    def _put(self, place: int, count: int) -> None:
        self.placed.append((int(self.listed[place]), count))
