"""The data augmentation sampler: θ and φ given z, then every z given θ and φ."""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.reference.draw import draw_topic
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Floats

__all__ = ["draw_phi", "draw_theta", "sweep"]


def draw_theta(state: State) -> Floats:
    """Draw θ_d ~ Dirichlet(n_d· + α) for all documents, shape (D, K)."""
    return _dirichlet_rows(state.doc_topic_counts() + state.priors.alpha, state.rng)


def draw_phi(state: State) -> Floats:
    """Draw φ_k ~ Dirichlet(n_·k + β) for all topics, shape (V, K): one row per word."""
    concentrations = (state.word_topic_counts() + state.priors.beta).T
    return np.ascontiguousarray(_dirichlet_rows(concentrations, state.rng).T)


def _dirichlet_rows(concentrations: Floats, rng: np.random.Generator) -> Floats:
    """Draw one row after another; NumPy's code stays exact for tiny concentrations."""
    return np.stack([rng.dirichlet(row) for row in concentrations])


def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Draw θ and φ, then all assignments, ``n_sweeps`` times; return the number of draws."""
    docs, words = state.token_docs(), state.token_words()
    for _ in range(n_sweeps):
        theta = draw_theta(state)
        phi = draw_phi(state)
        for i, (d, v) in enumerate(zip(docs, words, strict=True)):
            state.topics[i] = draw_topic(theta[d] * phi[v], state.rng.random())
    return n_sweeps * len(state.topics)
