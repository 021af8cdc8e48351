"""The log probability of topics and words given the sticks."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from blocklda.models.hdp.state import FREE, State
from blocklda.support.fixed_order import dot

__all__ = ["log_joint"]


def log_joint(state: State) -> float:
    """Return log p(z, w | τ, α₀, β), θ and φ integrated out.

    Σ_d [ Σ_k log (α₀τ_k)^(n_dk) − log α₀^(N_d) ] + Σ_k [ Σ_v log β_v^(n_kv) − log B^(n_k) ] in
    rising factorials. It does not compare states with different numbers of topics.
    """
    corpus, levels, cells = state.corpus, state.levels, state.counted()
    topic, level, above = cells.topic_histograms
    of_docs = dot(above, np.log(levels.alpha0 * state.tau[topic] + level))
    lengths = corpus.doc_lengths()
    of_docs -= float((gammaln(lengths + levels.alpha0) - gammaln(levels.alpha0)).sum())
    total = levels.word_prior(corpus.n_words).total
    n_k = cells.topic_totals[state.numbers != FREE]
    return float(of_docs + _of_words(state) - (gammaln(n_k + total) - gammaln(total)).sum())


def _of_words(state: State) -> float:
    """Return Σ_k Σ_v log β_v^(n_kv)."""
    beta = state.levels.beta
    if isinstance(beta, float):
        words = state.counted().filled[1]
        return dot(words.n_cells, gammaln(words.n_tokens + beta) - gammaln(beta))
    ones = np.ones(len(state.topics), dtype=np.int32)
    # Rows of words add up their topics: the table (words, slots) is mostly empty.
    n_vk = sparse.csr_array(
        (ones, (state.token_words(), state.topics)), shape=(len(beta), state.n_slots)
    )
    of_cell = np.repeat(beta, np.diff(n_vk.indptr))
    return float((gammaln(n_vk.data + of_cell) - gammaln(of_cell)).sum())
