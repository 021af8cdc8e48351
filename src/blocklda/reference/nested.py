"""Nested simulation of a block, the paper's section 3.2.2: at most C ⌈log₂ K⌉ steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blocklda.convolution import fft_from
from blocklda.priors import LANES, padded_length
from blocklda.reference.blocks import Block, sweep_blocks
from blocklda.reference.convolve import convolve
from blocklda.reference.draw import check_total, draw_topic
from blocklda.reference.leaves import in_range, raw_leaves, tilted_leaves
from blocklda.state import State, SweepOptions

__all__ = ["Nested", "sweep"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Level:
    """The polynomials h of one level of the tree; node i above has the children i and i + half."""

    h: FloatArray  # (C + 1, nodes)
    half: int

    @property
    def nodes(self) -> int:
        """How many nodes the level has."""
        return self.h.shape[1]


def half_of(nodes: int) -> int:
    """Return how many nodes the level above has.

    Any fixed binary tree has the paper's law. This one pairs node i with node i + half, where half
    is a whole number of LANES or at the end 4, 2 or 1, so that a level is one vector operation. A
    node without a partner passes through. There are ⌈log₂ K⌉ levels above the leaves.
    """
    if nodes > LANES:
        return padded_length(-(-nodes // 2))
    return 4 if nodes > 4 else 2 if nodes > 2 else 1


class Nested:
    """Products of polynomials up a binary tree, then tokens split down it."""

    def __init__(self, fft_from: int) -> None:
        self.fft_from = fft_from
        self.steps = 0

    def draw(self, block: Block, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw (n_dv1, …, n_dvK) from its conditional."""
        if block.size == 1:
            self.steps += _depth(len(block.a))  # the halvings of a search among K running sums
            return [(draw_topic(block.ratio(1), rng.random()), 1)]
        if len(block.a) == 1:
            return [(0, block.size)]
        by_fft = block.size >= self.fft_from
        if not by_fft:
            levels = self._upward(raw_leaves(block), by_fft)
            top = levels[-1].h
            if in_range(convolve(top[:, :1], top[:, 1:], by_fft)[:, 0]):
                return self._split(levels, 0, block.size, rng)
        levels = self._upward(tilted_leaves(block), by_fft)
        return self._split(levels, 0, block.size, rng)

    @staticmethod
    def _upward(leaves: FloatArray, by_fft: bool) -> list[Level]:
        """Return the levels from the leaves up to the two children of the root."""
        levels = [Level(leaves, half_of(leaves.shape[1]))]
        while levels[-1].nodes > 2:
            below = levels[-1]
            paired = below.nodes - below.half
            h = below.h[:, : below.half].copy()
            h[:, :paired] = convolve(below.h[:, :paired], below.h[:, below.half :], by_fft)
            levels.append(Level(h, half_of(h.shape[1])))
        return levels

    def _split(
        self, levels: list[Level], node: int, count: int, rng: np.random.Generator
    ) -> list[tuple[int, int]]:
        """Split ``count`` tokens of a node of the level above ``levels`` among its topics."""
        if count == 0:
            return []
        if count == 1:
            return [(self._place_token(levels, node, rng), 1)]
        if not levels:
            return [(node, count)]
        *lower, below = levels
        right = node + below.half
        if right >= below.nodes:
            return self._split(lower, node, count, rng)
        # p(n) = h_left(n) h_right(c − n) / h(c)
        weights = below.h[: count + 1, node] * below.h[count::-1, right]
        running = np.add.accumulate(weights)
        self.steps += 1
        point = rng.random() * check_total(running[-1])
        n_left = min(int(np.searchsorted(running, point, side="right")), count)
        return [
            *self._split(lower, node, n_left, rng),
            *self._split(lower, right, count - n_left, rng),
        ]

    def _place_token(self, levels: list[Level], node: int, rng: np.random.Generator) -> int:
        """Let one token sink to a leaf with a single uniform.

        The odds h(1) / h(0) of a node are the sum of its children's, so what is left of the point
        stays uniform below the branch taken.
        """
        point = None
        for below in reversed(levels):
            right = node + below.half
            if right >= below.nodes:
                continue
            odds_left = below.h[1, node] / below.h[0, node]
            odds_right = below.h[1, right] / below.h[0, right]
            if point is None:
                point = rng.random() * check_total(odds_left + odds_right)
            self.steps += 1
            if point < odds_right or not odds_left > 0:
                node = right
            else:
                point -= odds_right
        return node


def _depth(n_topics: int) -> int:
    return (n_topics - 1).bit_length()


def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Update every block, ``n_sweeps`` times; return the number of simulation steps."""
    scheme = Nested(fft_from(options.convolution))
    for _ in range(n_sweeps):
        sweep_blocks(state, scheme, options.max_block)
    return scheme.steps
