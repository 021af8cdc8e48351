"""How probable whole new documents are given φ and α: the left-to-right estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blocklda import _native
from blocklda.checks import seed_sequence, whole_number
from blocklda.content_streams import ContentStream
from blocklda.corpus import Corpus
from blocklda.errors import InputError
from blocklda.frozen_topics import FrozenTopics, check_topics
from blocklda.memory import require_memory
from blocklda.reference import left_to_right as twin

__all__ = ["LeftToRight", "left_to_right"]

FloatArray = NDArray[np.float64]

Kernel = Callable[..., int]


@dataclass(frozen=True)
class LeftToRight:
    """Estimates of log p(w_d | φ, α) of documents, in nats.

    Attributes
    ----------
    log_probabilities
        One per document; 0 for an empty one.
    standard_errors
        Of each, from the spread between batches of particles; NaN with one batch.
    n_tokens
        Tokens of each document.
    """

    log_probabilities: FloatArray
    standard_errors: FloatArray
    n_tokens: NDArray[np.int64]

    @property
    def log_probability(self) -> float:
        """The sum over documents."""
        return float(self.log_probabilities.sum())

    @property
    def standard_error(self) -> float:
        """Of the sum: documents are estimated independently of each other."""
        return float(np.sqrt((self.standard_errors**2).sum()))

    @property
    def mean_log_per_token(self) -> float:
        """The sum over documents, per token."""
        return self.log_probability / float(self.n_tokens.sum())

    @property
    def perplexity(self) -> float:
        """exp of minus the mean log probability per token."""
        return float(np.exp(-self.mean_log_per_token))


def left_to_right(
    topic_word: ArrayLike,
    alpha: ArrayLike,
    documents: Any,
    *,
    n_particles: int = 20,
    n_batches: int = 5,
    seed: Any = 0,
    backend: str = "native",
) -> LeftToRight:
    """Estimate log p(w_d | φ, α) of every document: its tokens' probability, θ and z summed out.

    A particle holds topics z_1 … z_{n−1} of the tokens it has read. Before it reads token n it
    draws them all anew, each given the others; then it weighs p(w_n | z_<n) = Σ_k φ_kv (n_k + α_k)
    / (n − 1 + Σα) and draws z_n. After every token the particles of a batch are resampled in
    proportion to these weights. The product over n of a batch's mean weights is an unbiased
    estimate of p(w_d | φ, α) (a particle filter whose moves keep p(z_<n | w_<n)), and so is the
    mean over batches. This differs from Algorithm 3 of Wallach, Murray, Salakhutdinov & Mimno
    (2009) by the resampling. Without it the product of means is not unbiased, because a particle's
    z_<n was in part drawn before w_{n−1} was seen; the mean over particles of their own products
    would be, but its variance grows with the length of a document. ``n_particles=n_batches`` gives
    that.

    What is returned are logs of unbiased estimates. A log is too low on average, by about half the
    squared standard error; where standard errors are not small take more particles.

    Documents are bags of words. p(w_d | φ, α) is that of one sequence of the tokens, the same for
    every order; they are read in a random order that the seed and the document's content decide.
    The time of a document grows with the square of its length.

    Parameters
    ----------
    topic_word
        φ, a matrix (topics, words) whose rows sum to 1.
    alpha
        Dirichlet prior of θ: a number, or one number per topic.
    documents
        A :class:`~blocklda.Corpus`, or anything :meth:`Corpus.from_matrix` takes, with the words
        of ``topic_word``.
    n_particles
        Particles in all, a multiple of ``n_batches``.
    n_batches
        Groups of particles that know nothing of each other. The standard errors are from the
        spread between them.
    seed
        A whole number, or None for fresh entropy. Each document's random numbers come from it and
        from the document's own words and counts.
    backend
        "native" or "python": the compiled kernel, or its twin. Both give the same bits.
    """
    corpus = Corpus.from_matrix(documents)
    phi, alpha_k = check_topics(topic_word, alpha, corpus)
    n_batches = whole_number("n_batches", n_batches, 1)
    n_particles = whole_number("n_particles", n_particles, n_batches)
    if n_particles % n_batches:
        raise InputError(
            f"n_particles={n_particles} is not allowed: give a multiple of n_batches={n_batches}."
        )
    if backend not in KERNELS:
        names = " or ".join(map(repr, KERNELS))
        raise InputError(f"backend={backend!r:.80} is not allowed: give {names}.")
    lengths = corpus.doc_lengths()
    per_batch = n_particles // n_batches
    require_memory(
        8 * per_batch * int(lengths.max(initial=0)) + 16 * corpus.n_docs * n_batches,
        f"{per_batch:,} particles on documents of up to {lengths.max(initial=0):,} tokens",
        "use fewer particles",
    )
    topics = FrozenTopics.create(corpus, phi, alpha_k)
    stream = ContentStream(corpus, seed_sequence("seed", seed), "left-to-right")
    products = np.ones((corpus.n_docs, n_batches))
    n_small = np.zeros((corpus.n_docs, n_batches), dtype=np.int64)
    for d in range(corpus.n_docs):
        failed_entry = KERNELS[backend](topics, d, per_batch, stream, products[d], n_small[d])
        topics.raise_if_failed(d, failed_entry)
    return LeftToRight(*_log_means(products, n_small), lengths)


def _log_means(products: FloatArray, n_small: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
    """Return the log of the mean over batches, and its standard error to first order."""
    n_batches = products.shape[1]
    least = n_small.min(axis=1, keepdims=True)
    shares = products * twin.SMALL ** (n_small - least).astype(float)
    means = shares.mean(axis=1)
    log_means = np.log(means) + least[:, 0] * np.log(twin.SMALL)
    if n_batches == 1:
        return log_means, np.full(len(means), np.nan)
    return log_means, shares.std(axis=1, ddof=1) / means / np.sqrt(n_batches)


def _native_left_to_right(
    topics: FrozenTopics,
    d: int,
    n_particles: int,
    stream: ContentStream,
    products: FloatArray,
    n_small: NDArray[np.int64],
) -> int:
    entries = topics.entries(d)
    return _native.left_to_right(
        topics.rows[entries],
        topics.corpus.counts[entries],
        topics.phi,
        topics.prior_weights,
        topics.alpha,
        topics.n_topics,
        n_particles,
        stream.seek(d).bit_generator.capsule,
        products,
        n_small,
    )[1]


def _python_left_to_right(
    topics: FrozenTopics,
    d: int,
    n_particles: int,
    stream: ContentStream,
    products: FloatArray,
    n_small: NDArray[np.int64],
) -> int:
    entries = topics.entries(d)
    twin.left_to_right(
        topics.rows[entries],
        topics.corpus.counts[entries],
        topics.phi,
        topics.prior_weights,
        topics.alpha,
        n_particles,
        stream.seek(d),
        products,
        n_small,
    )
    return -1


KERNELS: dict[str, Kernel] = {"native": _native_left_to_right, "python": _python_left_to_right}
