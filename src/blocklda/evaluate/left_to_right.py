"""How probable whole new documents are given φ and α: the left-to-right estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtrit

from blocklda import _native
from blocklda.data.content_streams import ContentStream
from blocklda.data.corpus import Corpus
from blocklda.models.lda.new_documents.frozen_topics import FrozenTopics
from blocklda.models.lda.reference import left_to_right as twin
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import seed_sequence, whole_number
from blocklda.support.errors import not_allowed
from blocklda.support.memory import require_memory

__all__ = ["LeftToRight", "left_to_right"]


Kernel = Callable[..., int]


@dataclass(frozen=True)
class LeftToRight:
    """Estimates of log p(w_d | φ, α) of documents, in nats.

    Attributes
    ----------
    batches
        The logs of the batches' estimates, shape (documents, batches). Each is the log of an
        unbiased estimate of p(w_d | φ, α), and so too low by half its variance; 0 for an empty
        document.
    n_tokens
        Tokens of each document.
    """

    batches: Floats
    n_tokens: Ints

    @property
    def log_probabilities(self) -> Floats:
        """One per document: the mean over batches plus half their variance."""
        means: Floats = self.batches.mean(axis=1)
        return means if self.batches.shape[1] == 1 else means + self._variances / 2

    @property
    def standard_errors(self) -> Floats:
        """Standard error of each document, from the spread between batches; NaN with one batch.

        Two of them on either side are a 95 % interval. The spread of B batches is itself uncertain:
        an error in units of it has Student's t distribution with B − 1 degrees of freedom. So it is
        widened until two of it have the probability that two standard deviations of a normal
        number have.
        """
        n_batches = self.batches.shape[1]
        if n_batches == 1:
            return np.full(len(self.batches), np.nan)
        errors: Floats = np.sqrt(self._squared_errors) * _widening(n_batches - 1)
        return errors

    @property
    def _squared_errors(self) -> Floats:
        """The variance of a mean of B normal numbers and that of half their sample variance s².

        They are independent of each other: s²/B + s⁴/(2(B − 1)). Rounding adds to them, and is all
        there is where batches cannot differ, as with one token.
        """
        n_batches = self.batches.shape[1]
        s2 = self._variances
        rounding = np.finfo(np.float64).eps * (1 + np.abs(self.batches).max(axis=1))
        errors: Floats = s2 / n_batches + s2**2 / (2 * (n_batches - 1)) + rounding**2
        return errors

    @property
    def _variances(self) -> Floats:
        variances: Floats = self.batches.var(axis=1, ddof=1)
        return variances

    @property
    def log_probability(self) -> float:
        """The sum over documents."""
        return float(self.log_probabilities.sum())

    @property
    def standard_error(self) -> float:
        """Standard error of the sum; documents are estimated independently.

        Its degrees of freedom are those of a sum of variances (Welch and Satterthwaite), which grow
        with the number of documents.
        """
        n_batches = self.batches.shape[1]
        if n_batches == 1:
            return float("nan")
        squares = self._squared_errors
        total = float(squares.sum())
        freedom = (n_batches - 1) * total**2 / float((squares**2).sum())
        return float(np.sqrt(total) * _widening(freedom))

    @property
    def mean_log_per_token(self) -> float:
        """The sum over documents, per token."""
        return self.log_probability / float(self.n_tokens.sum())

    @property
    def perplexity(self) -> float:
        """The exponential of minus the mean log probability per token."""
        return float(np.exp(-self.mean_log_per_token))


def _widening(freedom: float) -> float:
    """Return how many times wider Student's t is than a normal, at two standard deviations."""
    return float(stdtrit(freedom, float(ndtr(2.0))) / 2.0)


N_BATCHES = 8
"""Four leave the standard error so uncertain that, widened, 9 % of the errors of documents with a
small α are above two of it; with eight it is 6 to 7 %."""


def left_to_right(
    topic_word: ArrayLike,
    alpha: ArrayLike,
    documents: Any,
    *,
    n_particles: int = 20,
    n_batches: int = N_BATCHES,
    seed: Any = defaults.SEED,
    backend: str = defaults.BACKEND,
) -> LeftToRight:
    """Estimate log p(w_d | φ, α) of every document: its tokens' probability, θ and z summed out.

    A particle holds topics z_1 … z_{n−1} of the tokens it has read. Before it reads token n it
    draws them all again, each given the others; then it weighs p(w_n | z_<n) = Σ_k φ_kv (n_k + α_k)
    / (n − 1 + Σα) and draws z_n. After every token the particles of a batch are resampled in
    proportion to these weights.

    The product over n of a batch's mean weights is an **unbiased** estimate of p(w_d | φ, α): it is
    a particle filter whose moves keep p(z_<n | w_<n). Algorithm 3 of Wallach, Murray, Salakhutdinov
    & Mimno (2009) does not resample. Its product of means is not unbiased, and more particles do
    not cure it, since a particle's z_<n are not draws from p(z_<n | w_<n) after one sweep. The mean
    over particles of their own products is unbiased too (``n_particles=1`` gives those products),
    but its variance grows fast with the length of a document.

    The **log** of an unbiased estimate is too low. That of a particle filter is about normal with
    variance σ² and mean log p − σ²/2 (Bérard, Del Moral & Doucet 2014). So the result is the mean
    of the batches' logs plus half their variance, and its standard error is from their spread.
    Both are good while σ is not much above 1; with more particles it falls.

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
        Particles of each batch.
    n_batches
        Number of independent batches.
    seed
        A whole number, or None for fresh entropy. Each document's random numbers come from it and
        from the document's own words and counts.
    backend
        "native" or "python": the compiled kernel, or its Python version. Both give the same bits.

    Examples
    --------
    >>> import blocklda
    >>> bars = blocklda.simulate.bars(n_docs=5, doc_length=20, seed=1)
    >>> result = blocklda.evaluate.left_to_right(bars.topics, 0.1, bars.corpus, n_particles=5)
    >>> result.log_probabilities.shape
    (5,)
    """
    corpus = Corpus.from_matrix(documents)
    topics = FrozenTopics.create(corpus, [topic_word], alpha)
    n_particles = whole_number("n_particles", n_particles, 1)
    n_batches = whole_number("n_batches", n_batches, 1)
    if backend not in KERNELS:
        names = " or ".join(map(repr, KERNELS))
        raise not_allowed("backend", backend, names, choices=KERNELS)
    lengths = corpus.doc_lengths()
    require_memory(
        8 * n_particles * int(lengths.max(initial=0)) + 16 * corpus.n_docs * n_batches,
        f"{n_particles:,} particles on documents of up to {lengths.max(initial=0):,} tokens",
        "use fewer particles",
    )
    stream = ContentStream(corpus, seed_sequence("seed", seed), "left-to-right")
    products = np.ones((corpus.n_docs, n_batches))
    n_small = np.zeros((corpus.n_docs, n_batches), dtype=np.int64)
    for d in range(corpus.n_docs):
        entries = topics.entries(d)
        failed_entry = KERNELS[backend](
            topics.rows[entries],
            corpus.counts[entries],
            topics.phi[0],
            topics.alpha,
            topics.n_topics,
            n_particles,
            stream.seek(d),
            products[d],
            n_small[d],
        )
        topics.raise_if_failed(d, failed_entry)
    return LeftToRight(np.log(products) + n_small * np.log(twin.SMALL), lengths)


def _native_left_to_right(*arguments: Any) -> int:
    *before, generator, products, n_small = arguments
    capsule = generator.bit_generator.capsule
    return _native.left_to_right(*(*before, capsule, products, n_small))[1]


def _python_left_to_right(
    words: Any, counts: Any, phi: Floats, alpha: Floats, _: int, *rest: Any
) -> int:
    twin.left_to_right(words, counts, phi, alpha, *rest)
    return -1


KERNELS: dict[str, Kernel] = {"native": _native_left_to_right, "python": _python_left_to_right}
