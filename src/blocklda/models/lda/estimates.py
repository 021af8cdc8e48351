"""θ and φ given one assignment of topics, as the paper's section 4.1 estimates them."""

from __future__ import annotations

from typing import Protocol

from blocklda.models.lda.priors import Priors
from blocklda.support.arrays import Floats, Ints

__all__ = ["phi", "theta", "theta_rows"]


class Counted(Protocol):
    """A chain, a state or a draw."""

    @property
    def priors(self) -> Priors:
        """The Dirichlet priors."""

    def doc_topic_counts(self) -> Ints:
        """Return n_dk, shape (documents, topics)."""

    def topic_word_counts(self) -> Ints:
        """Return n_kv, shape (topics, words)."""


def theta(counted: Counted) -> Floats:
    """Return θ_dk = (n_dk + α_k) / (N_d + Σ_k α_k), shape (documents, topics)."""
    return theta_rows(counted.doc_topic_counts(), counted.priors)


def theta_rows(n_dk: Ints, priors: Priors) -> Floats:
    """Return θ_d for the given rows of n_dk."""
    weights: Floats = n_dk + priors.alpha
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def phi(counted: Counted) -> Floats:
    """Return φ_kv = (n_vk + β_kv) / (n_k + Σ_v β_kv), shape (topics, words)."""
    counts = counted.topic_word_counts()
    totals = counts.sum(axis=1) + counted.priors.beta_sum
    shares: Floats = counts + counted.priors.beta.T
    shares /= totals[:, None]
    return shares
