"""θ and φ given one state of a chain, as the paper's section 4.1 estimates them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from blocklda.chain import Chain

__all__ = ["phi", "theta"]


def theta(chain: Chain) -> NDArray[np.float64]:
    """Return θ_dk = (n_dk + α_k) / (N_d + Σ_k α_k), shape (documents, topics)."""
    weights = chain.doc_topic_counts() + chain.priors.alpha
    shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return shares


def phi(chain: Chain) -> NDArray[np.float64]:
    """Return φ_kv = (n_vk + β_kv) / (n_k + Σ_v β_kv), shape (topics, words)."""
    counts = chain.topic_word_counts()
    totals = counts.sum(axis=1) + chain.priors.beta_sum
    shares: NDArray[np.float64] = (counts + chain.priors.beta.T) / totals[:, None]
    return shares
