"""Wrong openings: the chain, or what is learned, never leaves the annealed sweeps behind."""

from __future__ import annotations

from collections.abc import Callable

import blocklda
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.opening import Opening
from blocklda.models.lda.state import State


def kept_while_annealed(chain: blocklda.Chain) -> None:
    """Take what the last annealed sweep left for a draw."""
    chain.sweep(chain.opening_sweeps)


def never_at_one(chain: blocklda.Chain) -> None:
    """Let the power stay below 1: as many annealed sweeps more as there should be plain ones."""
    n_sweeps = chain.opening_sweeps
    chain.state.opening = Opening(Opening.ANNEALED, 100 * n_sweeps)
    chain.sweep(4 * n_sweeps)


OPENING_MUTANTS: dict[str, Callable[[blocklda.Chain], None]] = {
    "draw kept while annealed": kept_while_annealed,
    "power never at 1": never_at_one,
}
"""Ways to advance a chain to its first draw."""


class LearnsWhileAnnealed(LDAModel):
    """Priors learned after every sweep."""

    def between_sweeps(self, state: State, burn_in: int) -> None:
        state.priors = self.learning.updated(state, state.rng, state.counted())


LEARNING_MUTANTS: dict[str, type[LDAModel]] = {"priors learned while annealed": LearnsWhileAnnealed}
