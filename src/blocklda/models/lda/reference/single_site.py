"""Single-site collapsed Gibbs sampling (Griffiths & Steyvers), the paper's baseline."""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.reference.blocks import Block, sweep_blocks
from blocklda.models.lda.reference.draw import draw_token
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["SingleSite", "sweep"]


class SingleSite:
    """A block of one token: p(z = k | rest) ∝ (n_dk + α_k)(n_vk + β) / (n_k + Vβ)."""

    def __init__(self) -> None:
        self.steps = 0

    def draw(self, block: Block, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw the topic of the block's only token."""
        self.steps += 1
        return [(draw_token(block.ratio(1), block.old, rng.random()), 1)]


def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Update every token in turn, ``n_sweeps`` times; return the number of draws."""
    scheme = SingleSite()
    for i in range(n_sweeps):
        sweep_blocks(state, scheme, max_block=1, shuffles=i == 0 and not state.is_in_random_order)
    state.random_order_at = state.n_sweeps + n_sweeps
    return scheme.steps
