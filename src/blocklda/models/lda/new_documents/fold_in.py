"""Folding documents in: the loop over documents, threads and several φ around one kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda import _native
from blocklda.data.content_streams import ContentStream
from blocklda.data.corpus import Corpus
from blocklda.models.lda.new_documents.frozen_topics import FrozenTopics
from blocklda.models.lda.reference import fold_in as twin
from blocklda.support.arrays import Floats
from blocklda.support.checks import n_workers, whole_number
from blocklda.support.errors import not_allowed
from blocklda.support.memory import require_memory

__all__ = ["MOST_STATES", "Folding", "most_states"]


MOST_STATES = {0.05: 2**12, 0.2: 2**10, math.inf: 2**8}
"""Vectors of counts, ∏_v (C_dv + 1), of a document whose θ is summed exactly, where the mean of α
is below a number: 12, 10 or 8 tokens if no word occurs twice. The smaller α, the longer a chain
stays where it is: one call on 9 to 12 tokens is off by 0.1 on average with α = 0.01, by 0.03 with
0.1, and by 0.01 with 0.3 (benchmarks/exact_documents.py). Twice as many states take 2 to 3 times as
long."""

ENOUGH_TOKENS = 48
"""A document with fewer has more sweeps, so that about as many tokens are drawn."""


Kernel = Callable[..., int]


@dataclass(frozen=True)
class Folding:
    """How documents are folded in, checked."""

    topics: FrozenTopics
    n_sweeps: int
    """Of each chain, for each φ; more for documents with few tokens."""
    burn_in: int
    stream: ContentStream
    kernel: Kernel
    n_threads: int
    most_states: int

    @classmethod
    def create(
        cls,
        corpus: Corpus,
        sets: Sequence[Any],
        alpha: ArrayLike,
        n_sweeps: Any,
        burn_in: Any,
        seed: Any,
        backend: str,
        n_jobs: Any,
    ) -> Folding:
        """Check the settings; the chains and the φ in ``sets`` share the sweeps."""
        burn_in = whole_number("burn_in", burn_in, 0)
        n_sweeps = whole_number("n_sweeps", n_sweeps, burn_in + 1)
        if backend not in KERNELS:
            names = " or ".join(map(repr, KERNELS))
            raise not_allowed("backend", backend, names, choices=KERNELS)
        n_threads = min(corpus.n_docs, n_workers(n_jobs))
        longest = int(corpus.doc_lengths().max(initial=0))
        require_memory(
            4 * twin.CHAINS * longest * n_threads,
            f"the topics of documents of up to {longest:,} tokens in {n_threads} threads",
            "use fewer threads or scale the counts down",
        )
        topics = FrozenTopics.create(corpus, sets, alpha)
        return cls(
            topics,
            max(burn_in + 1, n_sweeps // (twin.CHAINS * len(sets))),
            burn_in,
            ContentStream(corpus, seed, "fold-in"),
            KERNELS[backend],
            n_threads,
            most_states(topics),
        )

    def mean_theta(self) -> Floats:
        """Return θ of every document, the mean over the φ."""
        means = np.empty((self.topics.corpus.n_docs, self.topics.n_topics))

        def average(d: int, theta: Floats) -> None:
            np.add.reduce(theta, axis=0, out=means[d])

        self.run(average)
        means /= len(self.topics.phi)
        return means

    def run(self, use: Callable[[int, Floats], None]) -> None:
        """Call ``use`` with the number of each document and its θ, shape (φ, topics).

        It may be called from several threads, for different documents; θ is overwritten later.
        """
        n_docs = self.topics.corpus.n_docs
        if self.n_threads == 1:
            return self._run_part(0, n_docs, self.stream, use)
        ends = np.linspace(0, n_docs, self.n_threads + 1).astype(int).tolist()
        with ThreadPoolExecutor(self.n_threads) as pool:
            parts = [
                pool.submit(self._run_part, a, b, self.stream.fork(), use)
                for a, b in pairwise(ends)
            ]
            for part in parts:
                part.result()

    def _run_part(
        self, first: int, last: int, stream: ContentStream, use: Callable[[int, Floats], None]
    ) -> None:
        topics, counts = self.topics, self.topics.corpus.counts
        repeats = np.maximum(1, ENOUGH_TOKENS // np.maximum(1, topics.corpus.doc_lengths()))
        theta = np.empty((len(topics.phi), topics.n_topics))
        for d in range(first, last):
            entries = topics.entries(d)
            failed_entry = self.kernel(
                topics.rows[entries],
                counts[entries],
                topics.phi,
                topics.alpha,
                topics.n_topics,
                self.burn_in + (self.n_sweeps - self.burn_in) * int(repeats[d]),
                self.burn_in,
                self.most_states,
                stream.seek(d),
                theta,
            )
            topics.raise_if_failed(d, failed_entry)
            use(d, theta)


def most_states(topics: FrozenTopics) -> int:
    """Return up to how many vectors of counts the θ of a document is summed exactly."""
    mean = float(topics.alpha[: topics.n_topics].mean())
    return next(states for limit, states in MOST_STATES.items() if mean < limit)


def _native_fold_in(*arguments: Any) -> int:
    *before, generator, theta = arguments
    # The stream is this thread's own, so NumPy's lock is not needed.
    return _native.fold_in(*(*before, generator.bit_generator.capsule, theta))[1]


def _python_fold_in(*arguments: Any) -> int:
    twin.fold_in(*arguments)
    return -1


KERNELS: dict[str, Kernel] = {"native": _native_fold_in, "python": _python_fold_in}
