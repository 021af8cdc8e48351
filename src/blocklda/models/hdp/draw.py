"""What a draw is: LDA's with one more topic, which stands for everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.models.hdp.state import Levels, State
from blocklda.models.lda import draw as lda
from blocklda.models.lda.priors import Priors
from blocklda.support.arrays import Floats, Ints

__all__ = ["Draw", "as_priors"]


def as_priors(tau: Floats, levels: Levels, n_words: int) -> Priors:
    """Return α = α₀τ and β as priors of LDA; the last τ is what is left of the stick."""
    n_topics = len(tau)
    alpha = np.maximum(levels.alpha0 * tau, np.finfo(np.float64).tiny)
    return Priors(alpha, *levels.word_prior(n_words).rows(n_topics))


@dataclass(frozen=True, eq=False)
class Draw(lda.Draw):
    """One state that a chain passed through.

    ``topics`` are positions in ``numbers``, the birth numbers of the topics, ascending. ``priors``
    have one topic more: the last has no tokens and α₀τ_u, and stands for all topics that nobody
    has. For a single further token that is exact: its words are as likely as the prior says. So θ
    has one column more than there are topics, and φ one row.
    """

    numbers: Ints
    tau: Floats
    levels: Levels

    @classmethod
    def of(cls, state: State, chain: int) -> Draw:
        """Take a copy of a state, which goes on changing."""
        slots = state.occupied
        topics = state.positions().astype(cls.dtype_for(len(slots)))
        tau = np.append(state.tau[slots], state.rest)
        return cls.made(chain, state.n_sweeps, topics, state, (state.numbers[slots], tau))

    @classmethod
    def made(
        cls,
        chain: int,
        sweep: int,
        topics: NDArray[np.unsignedinteger[Any]],
        state: State,
        sticks: tuple[Ints, Floats],
        levels: Levels | None = None,
    ) -> Draw:
        """Return a draw of its parts, which are not changed afterwards."""
        numbers, tau = sticks
        for values in (topics, numbers, tau):
            values.setflags(write=False)
        used = state.levels if levels is None else levels
        priors = as_priors(tau, used, state.corpus.n_words)
        return cls(chain, sweep, topics, state.corpus, priors, numbers, tau, used)

    @staticmethod
    def dtype_for(n_topics: int) -> np.dtype[np.unsignedinteger[Any]]:
        """Return the type of the topics of a draw that has so many."""
        return lda.topic_dtype(n_topics + 1)

    @property
    def n_topics(self) -> int:
        """Occupied topics."""
        return len(self.numbers)

    @property
    def n_bytes(self) -> int:
        """What keeping the draw costs; the corpus is shared."""
        return self.topics.nbytes + self.tau.nbytes + self.numbers.nbytes

    def sizes(self) -> Ints:
        """Return the tokens of each occupied topic."""
        return self.topic_counts()[:-1]
