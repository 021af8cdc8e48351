"""What a move is: a Markov kernel that any sampler's sweeps may alternate with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.state import State

__all__ = ["Move"]


@dataclass(frozen=True)
class Move:
    """A kernel that leaves the posterior of the topics as it is.

    ``kernel`` tries the move once on a state, in place, with draws from the state's generator, and
    returns the number of simulation steps. It is the same for all backends. ``memory`` returns the
    bytes that it takes beside the state.
    """

    name: str
    summary: str
    kernel: Callable[[State], int]
    memory: Callable[[Corpus, Priors], int]

    def attempt(self, state: State) -> int:
        """Try the move once; what was known of the topics before is then unknown."""
        steps = self.kernel(state)
        state.forget_derived()
        state.random_order_at = None  # which token of a block moves may depend on where it stands
        return steps
