"""Several chains and what was recorded of them, as a fit records it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import blocklda
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.results.stability import Alignment, align_chains
from blocklda.results.trace import Trace


@dataclass(frozen=True)
class Recorded:
    draws: list[Draw]
    trace: Trace
    topic_words: list[np.ndarray]

    @property
    def alignment(self) -> Alignment:
        return align_chains(self.topic_words)

    @property
    def topic_word(self) -> np.ndarray:
        return self.topic_words[self.alignment.reference]


def record(
    chains: Sequence[blocklda.Chain], n_sweeps: int, burn_in: int = 0, thin: int = 1
) -> Recorded:
    """Run chains, keep every ``thin``-th sweep after ``burn_in``, and note what a trace holds."""
    first = chains[0]
    model = LDAModel(first.corpus, first.priors, pairs=TokenPairs.choose(first.corpus))
    start = time.perf_counter()
    draws: list[list[Draw]] = []
    levels: list[list[float]] = []
    for number, chain in enumerate(chains):
        chain.sweep(burn_in)
        draws.append([])
        levels.append([])
        for _ in range((n_sweeps - burn_in) // thin):
            chain.sweep(thin)
            draws[-1].append(chain.draw(number))
            levels[-1].append(chain.log_posterior())
    trace = Trace(
        sweeps=np.array([draw.sweep for draw in draws[0]]),
        log_posterior=np.array(levels),
        quantities=model.quantities,
        values={
            quantity.name: np.array([[quantity.measure(draw) for draw in kept] for kept in draws])
            for quantity in model.quantities
        },
        seconds=time.perf_counter() - start,
    )
    return Recorded(
        draws=[draw for chain in draws for draw in chain],
        trace=trace,
        topic_words=[np.mean([d.topic_word() for d in chain], axis=0) for chain in draws],
    )
