"""Backward simulation of a block, the paper's section 3.2.1: at most K − 1 steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.reference.blocks import Block, sweep_blocks
from blocklda.models.lda.reference.convolve import convolve
from blocklda.models.lda.reference.draw import check_total, draw_topic
from blocklda.models.lda.reference.leaves import in_range, raw_leaves, tilted_products
from blocklda.models.lda.samplers.convolution import fft_from
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Floats

__all__ = ["Backward", "sweep"]


@dataclass(frozen=True)
class ForwardSums:
    """The leaves q_k(n), shape (C + 1, K), and h_{1:k}(c) for k = 1..K."""

    q: Floats
    h: list[Floats]

    @property
    def normaliser(self) -> float:
        """h_{1:K}(C)."""
        return float(self.h[-1][-1])


def _forward_sums(q: Floats, by_fft: bool) -> ForwardSums:
    """Compute h_{1:k}(c) = Σ_n q_k(n) h_{1:k−1}(c − n) for k = 1..K."""
    h = [q[:, 0]]
    for k in range(1, q.shape[1]):
        h.append(convolve(h[-1][:, None], q[:, k, None], by_fft)[:, 0])
    return ForwardSums(q, h)


class Backward:
    """Forward sums h_{1:k}(c) over the first k topics, then n_K, n_{K−1}, … drawn back."""

    def __init__(self, fft_from: int) -> None:
        self.fft_from = fft_from
        self.steps = 0

    def draw(self, block: Block, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw (n_dv1, …, n_dvK) from its conditional."""
        if block.size == 1:
            return self._place_token(block, rng)
        by_fft = block.size >= self.fft_from
        if len(block.a) == 1:
            return [(0, block.size)]
        if not by_fft:
            sums = _forward_sums(raw_leaves(block), by_fft)
            if in_range(sums.h[-1]):
                return self.simulate(sums, rng)
        return self.simulate(tilted_products(block, by_fft, _forward_sums), rng)

    def _place_token(self, block: Block, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw the topic of a single token.

        The forward sums are then the running sums of K weights, and simulating back is a search
        among them. A step is a topic passed on the way from the last one.
        """
        n_topics = len(block.a)
        topic = draw_topic(block.ratio(1), rng.random())
        self.steps += min(n_topics - topic, n_topics - 1)
        return [(topic, 1)]

    def simulate(self, sums: ForwardSums, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw n_k from q_k(n) h_{1:k−1}(left − n) / h_{1:k}(left), for k = K, K − 1 and so on.

        ``point`` is uniform on [0, h_{1:k}(left)). A topic that gets nothing leaves it uniform on
        the interval of the topics before it, so a new uniform is needed only after tokens were
        placed. It stops when no token is left; the first topic takes what the others leave.
        """
        q, h = sums.q, sums.h
        allocation = []
        left = len(q) - 1
        point = None
        for k in range(q.shape[1] - 1, 0, -1):
            if left == 0:
                break
            before = h[k - 1]
            if point is None:
                point = rng.random() * check_total(h[k][left])
            self.steps += 1
            nothing = q[0, k] * before[left]
            if point < nothing:
                point = point / q[0, k]
                continue
            point -= nothing
            chosen = 0
            for n in range(1, left + 1):
                weight = q[n, k] * before[left - n]
                if weight > 0:
                    chosen = n  # what rounding leaves over goes to the last one
                if point < weight:
                    break
                point -= weight
            if chosen:
                allocation.append((k, chosen))
            left -= chosen
            point = None
        if left:
            allocation.append((0, left))
        return allocation


def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Update every block, ``n_sweeps`` times; return the number of simulation steps."""
    scheme = Backward(fft_from(options.convolution))
    for _ in range(n_sweeps):
        sweep_blocks(state, scheme, options.max_block)
    return scheme.steps
