"""The two formulas that users of `lda` compare numbers by, on blocklda's arrays."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from blocklda.data.corpus import Corpus
from blocklda.support.arrays import AnyInts, Floats

__all__ = ["log_likelihood", "pseudo_count_topics"]


def log_likelihood(nzw: AnyInts, ndz: AnyInts, nz: AnyInts, alpha: float, eta: float) -> float:
    """Return log p(w, z) of three tables of counts, as `Chain.log_joint` does of a chain.

    Σ_k log Γ(Vη) / Γ(n_k + Vη) + Σ_kv log Γ(n_kv + η) / Γ(η)
    + Σ_d log Γ(Kα) / Γ(N_d + Kα) + Σ_dk log Γ(n_dk + α) / Γ(α)
    """
    words = _log_ratios(nzw, eta) - _log_ratios(nz, eta * nzw.shape[1])
    documents = _log_ratios(ndz, alpha) - _log_ratios(ndz.sum(axis=1), alpha * ndz.shape[1])
    return words + documents


def _log_ratios(counts: AnyInts, prior: float) -> float:
    """Return Σ log Γ(count + prior) / Γ(prior); empty cells add nothing and are left out."""
    filled = counts[counts > 0]
    return float((gammaln(filled + prior) - gammaln(prior)).sum())


def pseudo_count_topics(
    corpus: Corpus, topic_word: Floats, alpha: float, max_iter: int, tol: float
) -> Floats:
    """Return topics of documents by iterated pseudo-counts (Buntine 2009, section 3.3).

    Every token has a distribution over topics, at first that of its word alone; in each round it
    becomes φ_kw (α + the sum of those of the other tokens of the document), normalised. Tokens of
    one word in one document have the same, so the rounds run over entries with their counts.
    """
    n_topics = len(topic_word)
    result = np.full((corpus.n_docs, n_topics), 1 / n_topics)
    for d in np.flatnonzero(np.diff(corpus.doc_offsets)):
        entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        phi = topic_word[:, corpus.word_ids[entries]].T
        result[d] = _pseudo_counts(phi, corpus.counts[entries], alpha, max_iter, tol)
    return result


def _pseudo_counts(phi: Floats, counts: AnyInts, alpha: float, max_iter: int, tol: float) -> Floats:
    """Return the mean over tokens of their distributions; ``phi`` has the shape (entries, K)."""
    shares = np.zeros_like(phi)
    for _ in range(max_iter + 1):  # the first round only looks at the words
        weights = phi * (counts @ shares - shares + alpha)
        new = weights / weights.sum(axis=1, keepdims=True)
        change = float(counts @ np.abs(new - shares).sum(axis=1))
        shares = new
        if change < tol:
            break
    mean: Floats = counts @ shares / counts.sum()
    return mean
