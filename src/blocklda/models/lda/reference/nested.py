"""Nested simulation of a block, the paper's section 3.2.2: at most C ⌈log₂ K⌉ steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.priors import LANES, padded_length
from blocklda.models.lda.reference.blocks import Block, sweep_blocks
from blocklda.models.lda.reference.convolve import convolve
from blocklda.models.lda.reference.draw import check_total, draw_topic
from blocklda.models.lda.reference.leaves import in_range, raw_leaves, tilted_products
from blocklda.models.lda.samplers.convolution import fft_from
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Floats

__all__ = ["Nested", "sweep", "upward"]


GROUP_SIZE = 8


def group_stride(n_topics: int) -> int:
    """Return the number G of groups g, g + G, g + 2G, … of at most GROUP_SIZE topics.

    Any fixed binary tree gives the paper's distribution. In this one the groups are the lower part:
    on the way up a group is one running product, and only where tokens arrive on the way down is it
    split in halves. The kernel has whole vectors of groups, so G is a multiple of LANES.
    """
    return LANES * -(-n_topics // (LANES * GROUP_SIZE))


def half_of(nodes: int) -> int:
    """Return how many nodes the level above one has.

    Node i is paired with node i + half, where half is a whole number of LANES or at the end 4, 2 or
    1. A node without a partner passes through. Groups and levels together are ⌈log₂ K⌉ splits deep.
    """
    if nodes > LANES:
        return padded_length(-(-nodes // 2))
    return 4 if nodes > 4 else 2 if nodes > 2 else 1


@dataclass(frozen=True)
class Tree:
    """The polynomials of a block: of its topics, and of the levels from the groups upwards."""

    leaves: Floats  # (C + 1, K)
    levels: list[Floats]  # (C + 1, nodes) each; the last has the two children of the root

    @property
    def root(self) -> Floats:
        """h_{1:K}(0..C)."""
        top = self.levels[-1]
        return convolve(top[:, :1], top[:, 1:], by_fft=False)[:, 0]

    @property
    def normaliser(self) -> float:
        """h_{1:K}(C)."""
        return float(self.root[-1])

    def members(self, group: int) -> list[int]:
        """Return the topics of a group."""
        n_topics = self.leaves.shape[1]
        return list(range(group, n_topics, group_stride(n_topics)))


class Nested:
    """Products of polynomials up a binary tree, then tokens split down it."""

    def __init__(self, fft_from: int) -> None:
        self.fft_from = fft_from
        self.steps = 0

    def draw(self, block: Block, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw (n_dv1, …, n_dvK) from its conditional."""
        n_topics = len(block.a)
        if block.size == 1:
            self.steps += (n_topics - 1).bit_length()  # halvings of a search among K running sums
            return [(draw_topic(block.ratio(1), rng.random()), 1)]
        if n_topics == 1:
            return [(0, block.size)]
        by_fft = block.size >= self.fft_from
        if not by_fft:
            tree = upward(raw_leaves(block), by_fft)
            if in_range(tree.root):
                return self._split_node(tree, len(tree.levels), 0, block.size, rng)
        tree = tilted_products(block, by_fft, upward)
        return self._split_node(tree, len(tree.levels), 0, block.size, rng)

    def _split_node(
        self, tree: Tree, level: int, node: int, count: int, rng: np.random.Generator
    ) -> list[tuple[int, int]]:
        """Split the tokens of a node; level 0 are the groups, the root is above the last level."""
        if count == 0:
            return []
        if count == 1:
            return self._place_token(tree, level, node, rng)
        while level > 0:
            level -= 1
            below = tree.levels[level]
            right = node + half_of(below.shape[1])
            if right < below.shape[1]:
                n_left = self.draw_left(below[:, node], below[:, right], count, rng)
                return [
                    *self._split_node(tree, level, node, n_left, rng),
                    *self._split_node(tree, level, right, count - n_left, rng),
                ]
        return self._split_members(tree, tree.members(node), count, rng)

    def _split_members(
        self, tree: Tree, members: list[int], count: int, rng: np.random.Generator
    ) -> list[tuple[int, int]]:
        """Split tokens among the topics of a group, half against half."""
        if count == 0:
            return []
        if len(members) == 1:
            return [(members[0], count)]
        if count == 1:
            return self._place_among_members(tree, members, None, rng)
        left, right = _halves(members)
        h_left, h_right = _product(tree, left, count), _product(tree, right, count)
        n_left = self.draw_left(h_left, h_right, count, rng)
        return [
            *self._split_members(tree, left, n_left, rng),
            *self._split_members(tree, right, count - n_left, rng),
        ]

    def draw_left(
        self, h_left: Floats, h_right: Floats, count: int, rng: np.random.Generator
    ) -> int:
        """Draw n from p(n) = h_left(n) h_right(c − n) / h(c)."""
        running = np.add.accumulate(h_left[: count + 1] * h_right[count::-1])
        self.steps += 1
        point = rng.random() * check_total(running[-1])
        return min(int(np.searchsorted(running, point, side="right")), count)

    def _place_token(
        self, tree: Tree, level: int, node: int, rng: np.random.Generator
    ) -> list[tuple[int, int]]:
        """Let one token sink to a leaf with a single uniform.

        The odds h(1) / h(0) of a node are the sum of its children's, so what is left of the point
        stays uniform below the branch taken.
        """
        point = None
        for below in reversed(tree.levels[:level]):
            right = node + half_of(below.shape[1])
            if right < below.shape[1]:
                goes_right, point = self._take_branch(below[:, node], below[:, right], point, rng)
                node = right if goes_right else node
        return self._place_among_members(tree, tree.members(node), point, rng)

    def _place_among_members(
        self, tree: Tree, members: list[int], point: float | None, rng: np.random.Generator
    ) -> list[tuple[int, int]]:
        while len(members) > 1:
            left, right = _halves(members)
            h_left, h_right = _product(tree, left, 1), _product(tree, right, 1)
            goes_right, point = self._take_branch(h_left, h_right, point, rng)
            members = right if goes_right else left
        return [(members[0], 1)]

    def _take_branch(
        self,
        h_left: Floats,
        h_right: Floats,
        point: float | None,
        rng: np.random.Generator,
    ) -> tuple[bool, float]:
        """Return whether a token goes right, and the point below that branch."""
        odds_left = h_left[1] / h_left[0]
        odds_right = h_right[1] / h_right[0]
        if point is None:
            point = rng.random() * check_total(odds_left + odds_right)
        self.steps += 1
        if point < odds_right or not odds_left > 0:
            return True, point
        return False, point - odds_right


def upward(leaves: Floats, by_fft: bool) -> Tree:
    """Multiply the leaves of each group, then the nodes of each level in pairs."""
    n_topics = leaves.shape[1]
    stride = group_stride(n_topics)
    groups = leaves[:, :stride].copy()
    for start in range(stride, n_topics, stride):
        next_members = leaves[:, start : start + stride]
        n = next_members.shape[1]
        groups[:, :n] = convolve(groups[:, :n], next_members, by_fft)
    levels = [groups]
    while levels[-1].shape[1] > 2:
        below = levels[-1]
        half = half_of(below.shape[1])
        paired = below.shape[1] - half
        above = below[:, :half].copy()
        above[:, :paired] = convolve(below[:, :paired], below[:, half:], by_fft)
        levels.append(above)
    return Tree(leaves, levels)


def _halves(members: list[int]) -> tuple[list[int], list[int]]:
    middle = (len(members) + 1) // 2
    return members[:middle], members[middle:]


def _product(tree: Tree, members: list[int], degree: int) -> Floats:
    """Return the running product of the leaves of some topics, up to a degree."""
    product = tree.leaves[: degree + 1, members[:1]]
    for topic in members[1:]:
        product = convolve(product, tree.leaves[: degree + 1, [topic]], by_fft=False)
    return product[:, 0]


def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Update every block, ``n_sweeps`` times; return the number of simulation steps."""
    scheme = Nested(fft_from(options.convolution))
    for _ in range(n_sweeps):
        sweep_blocks(state, scheme, options.max_block)
    return scheme.steps
