"""Several chains and what was recorded of them, as a fit records it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import blocklda
from blocklda.diagnostics.token_pairs import TokenPairs
from blocklda.models.lda.draw import Draw
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
        aligned = zip(self.topic_words, self.alignment.order, strict=True)
        return np.mean([topics[order] for topics, order in aligned], axis=0)


def record(
    chains: Sequence[blocklda.Chain], n_sweeps: int, burn_in: int = 0, thin: int = 1
) -> Recorded:
    """Run chains, keep every ``thin``-th sweep after ``burn_in``, and note what a trace holds."""
    pairs = TokenPairs.choose(chains[0].corpus)
    start = time.perf_counter()
    draws: list[list[Draw]] = []
    notes: list[list[tuple[float, np.ndarray, np.ndarray]]] = []
    for number, chain in enumerate(chains):
        chain.sweep(burn_in)
        draws.append([])
        notes.append([])
        for _ in range((n_sweeps - burn_in) // thin):
            chain.sweep(thin)
            draw = chain.draw(number)
            draws[-1].append(draw)
            size, together = draw.topic_counts(), pairs.co_assignment(draw.topics)
            notes[-1].append((chain.log_posterior(), size, together))
    log_posterior, sizes, together = (
        np.array([[note[part] for note in chain] for chain in notes]) for part in range(3)
    )
    trace = Trace(
        sweeps=np.array([draw.sweep for draw in draws[0]]),
        log_posterior=log_posterior,
        topic_sizes=sizes,
        co_assignment=together,
        seconds=time.perf_counter() - start,
    )
    return Recorded(
        draws=[draw for chain in draws for draw in chain],
        trace=trace,
        topic_words=[np.mean([d.topic_word() for d in chain], axis=0) for chain in draws],
    )
