"""The log probability of topics and words given the sticks."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from blocklda.models.hdp.state import FREE, State
from blocklda.support.fixed_order import dot

__all__ = ["log_joint"]


def log_joint(state: State) -> float:
    """Return log p(z, w | τ, α₀, β), θ and φ integrated out.

    Σ_d [ Σ_k log (α₀τ_k)^(n_dk) − log α₀^(N_d) ] + Σ_k [ Σ_v log β^(n_kv) − log (Vβ)^(n_k) ] in
    rising factorials. It does not compare states with different numbers of topics.
    """
    corpus, levels, cells = state.corpus, state.levels, state.counted()
    topic, level, above = cells.topic_histograms
    of_docs = dot(above, np.log(levels.alpha0 * state.tau[topic] + level))
    lengths = corpus.doc_lengths()
    of_docs -= float((gammaln(lengths + levels.alpha0) - gammaln(levels.alpha0)).sum())
    words = cells.filled[1]
    of_words = dot(words.n_cells, gammaln(words.n_tokens + levels.beta) - gammaln(levels.beta))
    total = corpus.n_words * levels.beta
    n_k = cells.topic_totals[state.numbers != FREE]
    return float(of_docs + of_words - (gammaln(n_k + total) - gammaln(total)).sum())
