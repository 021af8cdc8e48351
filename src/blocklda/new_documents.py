"""Topics of documents that were not in the fit, with φ frozen: each document by itself."""

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
from blocklda.frozen_topics import FrozenTopics, check_topics, topic_sets
from blocklda.memory import require_memory
from blocklda.reference import fold_in as twin

__all__ = ["BURN_IN", "N_SWEEPS", "FoldIn", "infer_doc_topics"]

FloatArray = NDArray[np.float64]

N_SWEEPS = 40
BURN_IN = 1

Kernel = Callable[..., int]


def infer_doc_topics(
    corpus: Corpus,
    topic_word: Any,
    alpha: ArrayLike,
    *,
    n_sweeps: int = N_SWEEPS,
    burn_in: int = BURN_IN,
    seed: Any = 0,
    backend: str = "native",
    n_jobs: int | None = 1,
) -> FloatArray:
    """Return the posterior mean of θ of every document given φ, up to Monte Carlo error.

    For each document a Gibbs sampler draws the topics of its tokens from (n_dk + α_k) φ_kv, the
    token taken out of n_dk. θ_dk is the mean over sweeps of (n_dk + α_k) / (N_d + Σα), with each
    token's probabilities in place of the topic that it drew. An empty document has the prior's
    mean.

    Each document's random numbers come from ``seed`` and from its own words and counts. So a row
    does not depend, to the bit, on other rows, their order or ``n_jobs``, and equal documents have
    equal rows.

    Parameters
    ----------
    corpus
        The documents, with the words of ``topic_word``.
    topic_word
        φ, a matrix (topics, words) whose rows sum to 1; or several of them, draws from the
        posterior that number their topics alike, as a list or an array of three dimensions. Then
        the result is the mean over them, which is closer to the posterior mean of θ than what
        the mean of φ alone leads to.
    alpha
        Dirichlet prior of θ: a number, or one number per topic.
    n_sweeps
        Sweeps in all. Several φ share them evenly, in whole sweeps rounded down, but each has at
        least one more than ``burn_in``.
    burn_in
        Sweeps that are not averaged, for every φ. The first φ begins with a draw of every token
        given those before it, the others with the topics that the one before them ended with.
    seed
        A whole number, or None for fresh entropy.
    backend
        "native" or "python": the compiled kernel, or its twin. Both give the same bits.
    n_jobs
        How many threads; None is one and −1 as many as there are processors for this process.

    Returns
    -------
    θ, shape (documents, topics); rows sum to 1.
    """
    sets = topic_sets(topic_word)
    fold_in = FoldIn.create(corpus, len(sets), n_sweeps, burn_in, seed, backend, n_jobs)
    total: FloatArray | None = None
    for theta, _ in fold_in.each(sets, alpha):
        total = theta if total is None else total + theta
    if total is None:
        raise InputError("topic_word is an empty sequence: give at least one matrix.")
    return total / len(sets)


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
            min(corpus.n_docs, n_workers(n_jobs)),
        )

    def each(
        self, sets: Sequence[Any], alpha: ArrayLike
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield θ (documents, topics) and the φ it belongs to, one φ after another."""
        corpus = self.corpus
        assignments = np.zeros(corpus.n_tokens, dtype=np.int32)
        for number, matrix in enumerate(sets):
            phi, alpha_k = check_topics(matrix, alpha, corpus)
            require_memory(
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
            parts = [pool.submit(fold_in, *part, stream.fork()) for part in pairwise(ends)]
            for part in parts:
                part.result()


def _native_fold_in(*arguments: Any) -> int:
    *before, generator, topics, has_topics, theta = arguments
    # The stream is this thread's own, so NumPy's lock is not needed.
    capsule = generator.bit_generator.capsule
    return _native.fold_in(*before, capsule, topics, has_topics, theta)[1]


def _python_fold_in(*arguments: Any) -> int:
    twin.fold_in(*arguments)
    return -1


KERNELS: dict[str, Kernel] = {"native": _native_fold_in, "python": _python_fold_in}
