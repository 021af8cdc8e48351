"""The concentration drawn given the clustering: a Gibbs step.

Of a Dirichlet process, K components of n documents have the likelihood α^K Γ(α) / Γ(α + n). With
η ~ Beta(α, n) a Gamma prior is conjugate: α ~ Gamma(shape + K, rate − log η). Of a finite mixture
the sizes are one row of counts of a symmetric Dirichlet prior.
"""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.prior_learning.row_counts import shared_counts
from blocklda.models.lda.prior_learning.sampled import conjugate_draw, minus_log_eta, sampled
from blocklda.models.mixture.state import State

__all__ = ["draw_concentration"]


def draw_concentration(state: State) -> float:
    """Return the next alpha of a chain, from its own stream."""
    n_docs, prior = np.array([state.corpus.n_docs]), state.priors.alpha_prior
    if state.priors.n_components is None:
        exposure = minus_log_eta(n_docs, state.alpha, state.rng)
        return float(conjugate_draw(prior, np.array(state.n_components), exposure, state.rng))
    counts = shared_counts(n_docs, np.bincount(state.sizes()), state.n_components)
    return float(sampled(counts, np.array([state.alpha]), prior, state.rng)[0])
