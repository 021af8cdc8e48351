"""Folding documents in: the loop over documents, threads and several φ around one kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blocklda import _native
from blocklda.checks import n_workers, seed_sequence, whole_number
from blocklda.content_streams import ContentStream
from blocklda.corpus import Corpus
from blocklda.errors import InputError
from blocklda.frozen_topics import FrozenTopics, check_topics
from blocklda.memory import require_memory_if_large
from blocklda.reference import fold_in as twin

__all__ = ["FoldIn"]

FloatArray = NDArray[np.float64]

Kernel = Callable[..., int]


@dataclass(frozen=True)
class FoldIn:
    """How documents are folded in, checked."""

    corpus: Corpus
    n_sweeps: int
    """For each φ."""
    burn_in: int
    seed: np.random.SeedSequence
    kernel: Kernel
    n_threads: int

    @classmethod
    def create(
        cls,
        corpus: Corpus,
        n_sets: int,
        n_sweeps: Any,
        burn_in: Any,
        seed: Any,
        backend: str,
        n_jobs: Any,
    ) -> FoldIn:
        """Check the settings; ``n_sets`` is the number of φ that share the sweeps."""
        burn_in = whole_number("burn_in", burn_in, 0)
        n_sweeps = whole_number("n_sweeps", n_sweeps, burn_in + 1)
        if backend not in KERNELS:
            names = " or ".join(map(repr, KERNELS))
            raise InputError(f"backend={backend!r:.80} is not allowed: give {names}.")
        return cls(
            corpus,
            max(burn_in + 1, n_sweeps // max(1, n_sets)),
            burn_in,
            seed_sequence("seed", seed),
            KERNELS[backend],
            n_workers(n_jobs),
        )

    def each(
        self, sets: Sequence[Any], alpha: ArrayLike
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield θ (documents, topics) and the φ it belongs to, one φ after another."""
        corpus = self.corpus
        assignments = np.zeros(corpus.n_tokens, dtype=np.int32)
        for number, matrix in enumerate(sets):
            phi, alpha_k = check_topics(matrix, alpha, corpus)
            require_memory_if_large(
                3 * 8 * corpus.n_docs * len(phi),
                f"θ of {corpus.n_docs:,} documents and {len(phi):,} topics",
                "pass fewer documents at a time",
            )
            if number == 0:
                n_topics = len(phi)
            elif len(phi) != n_topics:
                raise InputError(
                    f"topic_word[{number}] has {len(phi)} topics, the one before it {n_topics}: "
                    "all must be draws of one model."
                )
            topics = FrozenTopics.create(corpus, phi, alpha_k)
            stream = ContentStream(corpus, self.seed, "fold-in", number)
            theta = np.empty((corpus.n_docs, n_topics))
            self._run(topics, stream, assignments, number > 0, theta)
            yield theta, phi

    def _run(
        self,
        topics: FrozenTopics,
        stream: ContentStream,
        assignments: NDArray[np.int32],
        has_topics: bool,
        theta: FloatArray,
    ) -> None:
        """Fold in all documents, in as many threads as there may be."""
        offsets = self.corpus.doc_offsets.tolist()
        tokens = np.concatenate([[0], np.cumsum(self.corpus.doc_lengths())]).tolist()

        def fold_in(first: int, last: int, stream: ContentStream) -> None:
            for d in range(first, last):
                entries = slice(offsets[d], offsets[d + 1])
                failed_entry = self.kernel(
                    topics.rows[entries],
                    self.corpus.counts[entries],
                    topics.phi,
                    topics.prior_weights,
                    topics.alpha,
                    topics.n_topics,
                    self.n_sweeps,
                    self.burn_in,
                    stream.seek(d),
                    assignments[tokens[d] : tokens[d + 1]],
                    has_topics,
                    theta[d],
                )
                topics.raise_if_failed(d, failed_entry)

        if self.n_threads == 1:
            return fold_in(0, self.corpus.n_docs, stream)
        ends = np.linspace(0, self.corpus.n_docs, self.n_threads + 1).astype(int).tolist()
        with ThreadPoolExecutor(self.n_threads) as pool:
            parts = [pool.submit(fold_in, a, b, stream.fork()) for a, b in pairwise(ends)]
            for part in parts:
                part.result()


def _native_fold_in(*arguments: Any) -> int:
    *before, generator, topics, has_topics, theta = arguments
    # The stream is this thread's own, so NumPy's lock is not needed.
    capsule = generator.bit_generator.capsule
    return _native.fold_in(*(*before, capsule, topics, has_topics, theta))[1]


def _python_fold_in(*arguments: Any) -> int:
    twin.fold_in(*arguments)
    return -1


KERNELS: dict[str, Kernel] = {"native": _native_fold_in, "python": _python_fold_in}
