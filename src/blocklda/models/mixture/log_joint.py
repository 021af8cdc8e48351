"""The log joint density of a clustering, the words and the concentration."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from blocklda.data.corpus import Corpus
from blocklda.models.mixture.priors import MixturePriors
from blocklda.models.mixture.state import State
from blocklda.support.arrays import AnyInts, Floats, Ints

__all__ = ["component_word_counts", "log_joint", "log_partition", "log_words"]


def component_word_counts(
    corpus: Corpus, labels: AnyInts, n_components: int
) -> sparse.csr_matrix[np.int64]:
    """Return n_cv, shape (components, words)."""
    rows = np.repeat(labels.astype(np.int64), np.diff(corpus.doc_offsets))
    shape = (n_components, corpus.n_words)
    counts = corpus.counts.astype(np.int64)
    return sparse.coo_matrix((counts, (rows, corpus.word_ids)), shape=shape).tocsr()


def log_joint(state: State) -> float:
    """Return log p(labels, words, α): documents, not components, have names.

    Without the prior density of α where that is given.
    """
    counts = component_word_counts(state.corpus, state.labels, state.n_components)
    total = log_partition(state.priors, state.sizes(), state.alpha)
    total += float(log_words(state.priors, counts).sum())
    if state.priors.is_learned:
        shape, rate = state.priors.alpha_prior
        total += shape * log(rate) - lgamma(shape) + (shape - 1) * log(state.alpha)
        total -= rate * state.alpha
    return total


def log_partition(priors: MixturePriors, sizes: Ints, alpha: float) -> float:
    """Return log p(labels | α); of a Dirichlet process up to the names of components."""
    n_docs, K = int(sizes.sum()), len(sizes)
    if priors.n_components is None:
        of_sizes = K * log(alpha) + float(gammaln(sizes).sum())
        return of_sizes + lgamma(alpha) - lgamma(alpha + n_docs)
    of_sizes = float((gammaln(sizes + alpha) - lgamma(alpha)).sum())
    return of_sizes + lgamma(K * alpha) - lgamma(K * alpha + n_docs)


def log_words(priors: MixturePriors, counts: sparse.csr_matrix[np.int64]) -> Floats:
    """Return log p(words of a component), one number per row of counts (components, words)."""
    B = priors.beta_sum
    beta = priors.beta[counts.indices]
    terms = gammaln(counts.data + beta) - gammaln(beta)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    of_words = np.bincount(rows, weights=terms, minlength=counts.shape[0])
    totals = np.asarray(counts.sum(axis=1)).ravel()
    return np.asarray(of_words - (gammaln(totals + B) - lgamma(B)))
