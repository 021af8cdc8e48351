"""SCVB0 as a start: stochastic collapsed variational passes, and one draw from their result.

All tokens of an entry share γ_k ∝ (n_dk + α_k)(n_vk + β_kv) / (n_k + Σ_v β_kv), their shares of
the topics (Foulds, Boyles, DuBois, Smyth & Welling 2013). Arithmetic is in single precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.reference.draw import draw_topic
from blocklda.support.arrays import Float32s, Floats, Int32s, Ints

__all__ = ["FLOAT_LANES", "StartPriors", "draw", "run_pass"]


FLOAT_LANES = 16
"""Rows of single-precision numbers are padded to a multiple of this. Sums over topics run lane by
lane, and the lanes are then added by halves."""

GROUP = 4
"""So many entries see the same θ in the first pass over a document: the kernel's divisions then
wait for each other once for all of them."""


@dataclass(frozen=True)
class StartPriors:
    """Priors in single precision, padded: alpha with zeros, beta_sum (in doubles) with ones."""

    alpha: Float32s
    beta: Float32s
    beta_sum: Floats
    n_topics: int

    @cached_property
    def native(self) -> _native.StartPriors:
        """The priors as the kernels take them, checked once."""
        return _native.StartPriors(self.alpha, self.beta, self.beta_sum, self.n_topics)


def run_pass(
    corpus: Corpus,
    priors: StartPriors,
    order: Ints,
    gains: Float32s,
    scales: Float32s,
    n_refine: int,
    n_vk: Float32s,
) -> None:
    """Move n_vk on by the documents in ``order``.

    When the i-th comes, all counts are ``scales[i]`` times what the table holds; it then adds
    ``gains[i]`` times its own.
    """
    n_k = _sum_of_rows(n_vk)
    for d, gain, scale in zip(order, gains, scales, strict=True):
        entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        words, counts = corpus.word_ids[entries], corpus.counts[entries].astype(np.float32)
        phi = _phi(words, priors, n_vk, n_k, scale)
        a = _estimate(phi, counts, priors, n_refine)
        added = np.zeros_like(a)
        for v, count, phi_v in zip(words, counts, phi, strict=True):
            weight = gain * count / _lane_sum(phi_v * a)
            share = weight * (phi_v * a)
            n_vk[v] += share
            added += share
        n_k += added


def draw(
    corpus: Corpus,
    priors: StartPriors,
    n_refine: int,
    n_vk: Float32s,
    rng: np.random.Generator,
    topics: Int32s,
) -> None:
    """Draw every token's topic from θ_dk φ_kv, θ being estimated document by document."""
    n_k = _sum_of_rows(n_vk)
    token = 0
    for d in range(corpus.n_docs):
        entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        words, counts = corpus.word_ids[entries], corpus.counts[entries]
        phi = _phi(words, priors, n_vk, n_k, np.float32(1))
        a = _estimate(phi, counts.astype(np.float32), priors, n_refine)
        for phi_v, count in zip(phi, counts, strict=True):
            weights = (a.astype(np.float64) * phi_v)[: priors.n_topics]
            for _ in range(count):
                topics[token] = draw_topic(weights, rng.random())
                token += 1


def _phi(
    words: Int32s,
    priors: StartPriors,
    n_vk: Float32s,
    n_k: Floats,
    scale: np.float32,
) -> Float32s:
    """Return φ_kv = (n_vk + β_kv) / (n_k + Σ_v β_kv) of a document's words, one row each."""
    inverse = (1 / (np.float64(scale) * n_k + priors.beta_sum)).astype(np.float32)
    beta = priors.beta[0] if len(priors.beta) == 1 else priors.beta[words]
    rows: Float32s = (scale * n_vk[words] + beta) * inverse
    return rows


def _estimate(phi: Float32s, counts: Float32s, priors: StartPriors, n_refine: int) -> Float32s:
    """Return a_k = n_dk + α_k of a document: one pass entry by entry, then ``n_refine`` at once."""
    a = priors.alpha.copy()
    for i in range(0, len(phi), GROUP):
        rate = np.zeros_like(a)
        for phi_v, count in zip(phi[i : i + GROUP], counts[i : i + GROUP], strict=True):
            rate += count / _lane_sum(phi_v * a) * phi_v
        a += a * rate
    for _ in range(n_refine):
        sums = np.zeros_like(a)
        for phi_v, count in zip(phi, counts, strict=True):
            sums += count / _lane_sum(phi_v * a) * phi_v
        a = a * sums + priors.alpha
    return a


def _lane_sum(terms: Float32s) -> np.float32:
    """Return the sum over topics, lane by lane and then the lanes by halves."""
    lanes = np.add.accumulate(terms.reshape(-1, FLOAT_LANES), axis=0)[-1]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = lanes[:half] + lanes[half:]
    return np.float32(lanes[0])


def _sum_of_rows(n_vk: Float32s) -> Floats:
    """Return n_k in doubles: sums over millions of tokens, to which a document adds a few."""
    n_k = np.zeros(n_vk.shape[1])
    for row in n_vk:
        n_k += row
    return n_k
