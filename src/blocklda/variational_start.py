"""`init="variational"`: a few variational passes, then one draw of all topics from their result.

Only where a chain begins depends on this, never its law; so single precision will do, and priors
outside its comfortable range are drawn into it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blocklda import _native
from blocklda.corpus import Corpus
from blocklda.memory import require_memory
from blocklda.priors import Priors
from blocklda.reference import variational as twin
from blocklda.reference.variational import PADDING, StartPriors
from blocklda.samplers.kernel_call import raise_if_failed

__all__ = ["Schedule", "variational_topics"]

FloatArray = NDArray[np.float64]
SingleArray = NDArray[np.float32]

SEED_SHARE = 0.5
WINDOW_START = 10.0
STEPS_PER_PASS = 15.0

PRIOR_RANGE = (1e-6, 1e6)
"""With priors in this range no share of a topic leaves the normal numbers of single precision:
φ is at least 1e-6 / (2³¹ + 1e6 V), and a_k φ_kv at least 1e-6 of that."""

CELLS_AT_ONCE = 2**20
"""Random numbers drawn at a time: 8 MiB of doubles."""


@dataclass(frozen=True)
class Schedule:
    """How long the start works: ``passes`` over the corpus, and how it estimates θ of a document.

    After one pass over the entries of a document, in which each entry sees the shares of those
    before it, ``refine`` passes follow that keep θ until their end; ``draw_refine`` of them before
    the topics are drawn.
    """

    passes: int
    refine: int = 0
    draw_refine: int = 2


def default_schedule(n_docs: int) -> Schedule:
    return Schedule(4)


def variational_topics(
    corpus: Corpus,
    priors: Priors,
    rng: np.random.Generator,
    backend: str,
    schedule: Schedule | None = None,
) -> NDArray[np.int32]:
    """Return one topic per token, drawn from θ_dk φ_kv of a variational approximation."""
    topics = np.zeros(corpus.n_tokens, dtype=np.int32)
    docs = np.flatnonzero(np.diff(corpus.doc_offsets))
    if len(docs) == 0:
        return topics
    schedule = schedule or default_schedule(len(docs))
    _require_memory(corpus, priors)
    start_priors = single_precision(priors, corpus.n_words)
    n_vk = first_counts(corpus, docs, priors.n_topics, rng)
    for i in range(schedule.passes):
        order = docs[_shuffled(len(docs), rng)]
        gains, scales, left = steps(len(docs), i)
        arguments = (order, gains, scales, schedule.refine, n_vk)
        if backend == "native":
            _native_pass(corpus, start_priors, *arguments)
        else:
            twin.run_pass(corpus, start_priors, *arguments)
        n_vk *= left
    if backend == "native":
        _native_draw(corpus, start_priors, schedule.draw_refine, n_vk, rng, topics)
    else:
        twin.draw(corpus, start_priors, schedule.draw_refine, n_vk, rng, topics)
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
    return StartPriors(alpha, beta, beta_sum, n_topics)


def padded_topics(n_topics: int) -> int:
    """Return the length of a row of single-precision numbers."""
    return -(-n_topics // PADDING) * PADDING


def first_counts(
    corpus: Corpus, docs: NDArray[np.int64], n_topics: int, rng: np.random.Generator
) -> SingleArray:
    """Return n_vk to begin with, shape (words, padded topics): one document as each topic's seed.

    Topics that all begin near the corpus's own word frequencies need most of the first passes to
    part from each other.
    """
    n_words, n_tokens = corpus.n_words, corpus.n_tokens
    n_vk = np.zeros((n_words, padded_topics(n_topics)), dtype=np.float32)
    frequencies = np.bincount(corpus.word_ids, weights=corpus.counts, minlength=n_words)
    even = (1 - SEED_SHARE) / n_topics * frequencies
    step = max(1, CELLS_AT_ONCE // n_topics)
    for first in range(0, n_words, step):
        words = slice(first, first + step)
        noise = 0.5 + rng.random((len(even[words]), n_topics))
        n_vk[words, :n_topics] = even[words, None] * noise
    seeds = docs[np.resize(_shuffled(len(docs), rng), n_topics)]
    lengths = corpus.doc_lengths()
    for k, d in enumerate(seeds):
        entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        share = SEED_SHARE / n_topics * n_tokens / lengths[d]
        n_vk[corpus.word_ids[entries], k] += (share * corpus.counts[entries]).astype(np.float32)
    return n_vk


def steps(n_docs: int, i: int) -> tuple[SingleArray, SingleArray, np.float32]:
    """Return what the documents of pass ``i`` add, the scales before them, and the one after.

    A document moves the counts towards ``n_docs`` times its own by a step ρ: n ← (1 − ρ) n + ρ D
    n_d. Instead of shrinking a whole table each time, the factors (1 − ρ) are kept aside.
    """
    done = i + np.arange(n_docs) / n_docs
    rates = STEPS_PER_PASS / n_docs / np.sqrt(WINDOW_START + STEPS_PER_PASS * done)
    rates = np.minimum(rates, 0.5)
    scales = np.multiply.accumulate(1 - rates)
    gains = rates * n_docs / scales
    before = np.concatenate([[1.0], scales[:-1]])
    return gains.astype(np.float32), before.astype(np.float32), np.float32(scales[-1])


def _shuffled(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return 0 … n−1 in random order, from uniforms: how NumPy shuffles may change."""
    return np.argsort(rng.random(n), kind="stable")


def _require_memory(corpus: Corpus, priors: Priors) -> None:
    """The table, its priors, φ of the longest document, and the sums of the topics."""
    rows = corpus.n_words + len(priors.beta) + int(np.diff(corpus.doc_offsets).max())
    require_memory(
        4 * padded_topics(priors.n_topics) * rows + 8 * CELLS_AT_ONCE,
        f"a variational start with {corpus.n_words:,} words and {priors.n_topics:,} topics",
        'use fewer topics or a smaller vocabulary, or init="random"',
    )


def _native_pass(
    corpus: Corpus,
    priors: StartPriors,
    order: NDArray[np.int64],
    gains: SingleArray,
    scales: SingleArray,
    n_refine: int,
    n_vk: SingleArray,
) -> None:
    _native.variational_pass(
        corpus.doc_offsets,
        corpus.word_ids,
        corpus.counts,
        priors.alpha,
        priors.beta,
        priors.beta_sum,
        priors.n_topics,
        order,
        gains,
        scales,
        n_refine,
        n_vk,
    )


def _native_draw(
    corpus: Corpus,
    priors: StartPriors,
    n_refine: int,
    n_vk: SingleArray,
    rng: np.random.Generator,
    topics: NDArray[np.int32],
) -> None:
    # The capsule's functions are not thread-safe: NumPy asks its users to hold this lock.
    with rng.bit_generator.lock:
        _, failed_entry = _native.variational_draw(
            corpus.doc_offsets,
            corpus.word_ids,
            corpus.counts,
            priors.alpha,
            priors.beta,
            priors.beta_sum,
            priors.n_topics,
            n_refine,
            n_vk,
            topics,
            rng.bit_generator.capsule,
        )
    raise_if_failed(corpus, failed_entry)
