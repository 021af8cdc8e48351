"""The paper's first measure: log q, the log posterior of the assignments up to a constant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from blocklda.state import State

__all__ = ["log_posterior"]


def log_posterior(state: State) -> float:
    """Return log q with every term, the ones of empty counts included.

    log q = Σ_d Σ_k log Γ(n_dk + α_k) + Σ_k Σ_v log Γ(n_vk + β_kv) − Σ_k log Γ(n_k + Σ_v β_kv)
    """
    priors = state.priors
    documents = _log_gamma_sum(state.doc_topic_counts(), priors.alpha[None])
    words = _log_gamma_sum(state.word_topic_counts(), priors.beta)
    topics = gammaln(state.topic_counts() + priors.beta_sum).sum()
    return float(documents + words - topics)


def _log_gamma_sum(counts: NDArray[np.int64], prior: NDArray[np.float64]) -> float:
    """Return Σ log Γ(count + prior); prior broadcasts against the rows of counts."""
    if (prior == prior.flat[0]).all():
        # Few counts are distinct: one log Γ for each value, weighted by how often it occurs.
        occurrences = np.bincount(counts.ravel())
        values = np.flatnonzero(occurrences)
        return float(occurrences[values] @ gammaln(values + prior.flat[0]))
    return float(gammaln(counts + prior).sum())
