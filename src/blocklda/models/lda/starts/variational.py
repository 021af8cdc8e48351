"""`init="variational"`: a few variational passes, then one draw of all topics from their result.

Only where a chain begins depends on this, never its stationary distribution; so single
precision is enough, and priors outside its range are clipped.
"""

from __future__ import annotations

import numpy as np

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import variational as twin
from blocklda.models.lda.reference.variational import StartPriors
from blocklda.models.lda.starts.first_counts import (
    PRIOR_RANGE,
    first_counts,
    padded_topics,
    shuffled,
)
from blocklda.support.arrays import Float32s, Int32s, Ints, sealed

__all__ = ["PASSES", "draw_topics", "fitted_counts", "variational_topics"]


# The figures below are means over two seeds of the perplexity of one state, at once and after five
# single-site sweeps, for NIPS and KOS (see benchmarks/starts.py).

PASSES = 6
"""NIPS, K = 200: 4 passes 1335 → 1375, 6 passes 1329 → 1371, 8 passes 1326 → 1367, 12 passes
1322 → 1365; a pass takes less than half of a single-site sweep, and more than 6 raise the log
posterior no faster than sweeps do. Corpora of 50 documents (the first of NIPS and KOS, K = 20) are
best after 20 sweeps with 8 or 20 passes, and 1 to 5 % worse with 4 or 80."""

REFINEMENTS = 1
"""Passes over a document with a θ that is kept until their end, after the one that changes it all
the time. Without them NIPS, K = 200, stands at 1371 → 1393 instead of 1326 → 1367 after 8 passes,
and the log posterior is lower everywhere; KOS, K = 200, has 1699 → 1716 instead of 1774 → 1747. Two
make both differences larger, and a pass longer by a fifth."""

STEPS_PER_PASS = 40.0
FIRST_STEP = 10.0
"""The step of document t of D is ρ = (40 / D) / sqrt(10 + 40 t / D), about what minibatches of D/40
documents with the steps (10 + i)^-½ would do. With 15 in place of 40 NIPS is worse, K = 200:
1346 → 1383 instead of 1326 → 1367; with 100 KOS is, K = 200: 1888 → 1796 instead of 1774 → 1747.
One document at a time spares a second table for the minibatch, and the square root, unlike other
powers, has the same bits everywhere."""

LARGEST_STEP = 0.5
"""For corpora of so few documents that the formula would give a step of 1 or more."""


def variational_topics(
    corpus: Corpus, priors: Priors, rng: np.random.Generator, backend: str, passes: int = PASSES
) -> Int32s:
    """Return one topic per token, drawn from θ_dk φ_kv of a variational approximation."""
    if corpus.n_tokens == 0:
        return np.zeros(0, dtype=np.int32)
    n_vk = fitted_counts(corpus, priors, rng, backend, passes)
    return draw_topics(corpus, priors, n_vk, rng, backend)


def fitted_counts(
    corpus: Corpus, priors: Priors, rng: np.random.Generator, backend: str, passes: int = PASSES
) -> Float32s:
    """Return n_vk of a variational approximation, shape (words, padded topics)."""
    docs = np.flatnonzero(np.diff(corpus.doc_offsets))
    run_pass, _ = KERNELS[backend]
    start_priors = single_precision(priors, corpus.n_words)
    n_vk = first_counts(corpus, docs, priors, rng)
    for i in range(passes):
        order = docs[shuffled(len(docs), rng)]
        gains, scales, left = steps(len(docs), i)
        run_pass(corpus, start_priors, order, gains, scales, REFINEMENTS, n_vk)
        n_vk *= left
    return n_vk


def draw_topics(
    corpus: Corpus, priors: Priors, n_vk: Float32s, rng: np.random.Generator, backend: str
) -> Int32s:
    """Draw one topic per token given n_vk: one number of the stream each, in their order."""
    topics = np.zeros(corpus.n_tokens, dtype=np.int32)
    _, draw = KERNELS[backend]
    start_priors = single_precision(priors, corpus.n_words)
    draw(corpus, start_priors, REFINEMENTS, n_vk, rng, topics)
    return topics


def single_precision(priors: Priors, n_words: int) -> StartPriors:
    """Return the priors as the start reads them, padded to whole vectors."""
    n_topics, padded = priors.n_topics, padded_topics(priors.n_topics)
    alpha = np.zeros(padded, dtype=np.float32)
    alpha[:n_topics] = np.clip(priors.alpha, *PRIOR_RANGE)
    beta = np.zeros((len(priors.beta), padded), dtype=np.float32)
    np.clip(priors.beta, *PRIOR_RANGE, out=beta[:, :n_topics], casting="same_kind")
    if priors.beta_is_symmetric:
        # One number for all words and topics: the kernels read the first.
        beta[:] = beta[0, 0]
    beta_sum = np.ones(padded)
    low, high = PRIOR_RANGE
    beta_sum[:n_topics] = np.clip(priors.beta_sum, n_words * low, n_words * high)
    return StartPriors(sealed(alpha), sealed(beta), sealed(beta_sum), n_topics)


def steps(n_docs: int, i: int) -> tuple[Float32s, Float32s, np.float32]:
    """Return what the documents of pass ``i`` add, the scales before them, and the one after.

    A document moves the counts towards ``n_docs`` times its own by a step ρ: n ← (1 − ρ) n + ρ D
    n_d. Instead of shrinking a whole table each time, the factors (1 − ρ) are kept aside.
    """
    done = i + np.arange(n_docs) / n_docs
    rates = STEPS_PER_PASS / n_docs / np.sqrt(FIRST_STEP + STEPS_PER_PASS * done)
    rates = np.minimum(rates, LARGEST_STEP)
    scales = np.multiply.accumulate(1 - rates)
    gains = rates * n_docs / scales
    before = np.concatenate([[1.0], scales[:-1]])
    return gains.astype(np.float32), before.astype(np.float32), np.float32(scales[-1])


def _native_pass(
    corpus: Corpus,
    priors: StartPriors,
    order: Ints,
    gains: Float32s,
    scales: Float32s,
    n_refine: int,
    n_vk: Float32s,
) -> None:
    _native.variational_pass(corpus.native, priors.native, order, gains, scales, n_refine, n_vk)


def _native_draw(
    corpus: Corpus,
    priors: StartPriors,
    n_refine: int,
    n_vk: Float32s,
    rng: np.random.Generator,
    topics: Int32s,
) -> None:
    # The capsule's functions are not thread-safe: NumPy asks its users to hold this lock.
    with rng.bit_generator.lock:
        _, failed_entry = _native.variational_draw(
            corpus.native, priors.native, n_refine, n_vk, topics, rng.bit_generator.capsule
        )
    raise_if_failed(corpus, failed_entry)


KERNELS = {
    "native": (_native_pass, _native_draw),
    "python": (twin.run_pass, twin.draw),
}
