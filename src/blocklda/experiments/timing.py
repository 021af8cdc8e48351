"""Figure 3: seconds per sweep against the number of topics, kernels and their twins in Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.experiments.studies import ALPHA, BETA
from blocklda.models.lda.chain import Chain
from blocklda.support.arrays import AnyInts, Floats

__all__ = ["BACKENDS", "WARM_UP", "Timing", "first_docs", "time_sweeps"]

BACKENDS = ("native", "python")

WARM_UP = 10
"""Sweeps between the random start and the state that all samplers are timed from: topics are
then neither as spread as at random nor as settled as after hundreds of sweeps."""

WARM_UP_SAMPLER = "sparse"


@dataclass(frozen=True)
class Timing:
    """Seconds per sweep on one corpus with one number of topics, shape (samplers, repeats)."""

    corpus: str
    backend: str
    n_topics: int
    samplers: tuple[str, ...]
    seconds: Floats

    def median(self, sampler: str) -> float:
        """Return the median over repeats."""
        return float(np.median(self.seconds[self.samplers.index(sampler)]))

    def ratio(self, sampler: str, base: str) -> float:
        """Return the median over repeats of the ratio to another sampler in the same round."""
        rows = self.seconds[[self.samplers.index(sampler), self.samplers.index(base)]]
        return float(np.median(rows[0] / rows[1]))


def time_sweeps(
    name: str,
    corpus: Corpus,
    n_topics: int,
    samplers: tuple[str, ...],
    *,
    backend: str,
    repeats: int,
    seed: int,
    on_sweep: Callable[[str], None] | None = None,
) -> Timing:
    """Time sweeps of samplers that take turns, all from one state.

    The first sweep of each is not counted: it builds the sampler's tables.
    """
    topics = _warm_state(corpus, n_topics, seed)
    chains = [
        Chain(
            corpus, n_topics, ALPHA, BETA, sampler=sampler, backend=backend, seed=seed, init=topics
        )
        for sampler in samplers
    ]
    seconds = np.zeros((len(samplers), repeats + 1))
    for r in range(repeats + 1):
        for s, chain in enumerate(chains):
            begin = time.perf_counter()
            chain.sweep()
            seconds[s, r] = time.perf_counter() - begin
            if on_sweep is not None:
                on_sweep(samplers[s])
    return Timing(name, backend, n_topics, samplers, seconds[:, 1:])


def _warm_state(corpus: Corpus, n_topics: int, seed: int) -> AnyInts:
    start = Chain(corpus, n_topics, ALPHA, BETA, sampler=WARM_UP_SAMPLER, seed=seed)
    start.sweep(WARM_UP)
    return start.assignments()


def first_docs(corpus: Corpus, n_docs: int | None) -> Corpus:
    """Return the first documents of a corpus, over the same vocabulary; None for all of them."""
    if n_docs is None or n_docs >= corpus.n_docs:
        return corpus
    return Corpus.from_matrix(corpus.to_matrix()[:n_docs], corpus.vocabulary)
