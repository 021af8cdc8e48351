"""Annealed sweeps: one token at a time, with the words' part of the weights to a power b."""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.reference.blocks import Block, sweep_blocks
from blocklda.models.lda.reference.draw import draw_topic
from blocklda.models.lda.samplers.powers import power
from blocklda.models.lda.state import State
from blocklda.support.arrays import Floats

__all__ = ["Annealed", "sweep"]

UPPER_HALF = np.uint64(0xFFFFFFFF00000000)
"""Powers of n_vk + β keep 21 significant bits: the kernel has the count in the other half."""


class Annealed:
    """A block of one token: weight (n_dk + α_k) [(n_vk + β) / (n_k + Vβ)]^b."""

    def __init__(self, sixteenths: int) -> None:
        self.sixteenths = sixteenths
        self.steps = 0

    def weights(self, block: Block) -> Floats:
        """Return the weights of all topics for the token of a block."""
        bits = power(block.b, self.sixteenths).view(np.uint64) & UPPER_HALF
        rate = block.a * (1.0 / power(block.c, self.sixteenths))
        return rate * bits.view(np.float64)

    def draw(self, block: Block, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw the topic of the block's only token."""
        self.steps += 1
        return [(draw_topic(self.weights(block), rng.random()), 1)]


def sweep(state: State, sixteenths: int, n_sweeps: int) -> int:
    """Update every token in turn, ``n_sweeps`` times; return the number of draws."""
    scheme = Annealed(sixteenths)
    for _ in range(n_sweeps):
        sweep_blocks(state, scheme, max_block=1)
    return scheme.steps
