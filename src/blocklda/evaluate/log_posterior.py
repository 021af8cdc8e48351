"""The paper's first measure: log q, the log posterior of the assignments up to a constant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from blocklda import _native
from blocklda.state import State

__all__ = ["log_posterior"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def log_posterior(state: State) -> float:
    """Return log q with every term, the ones of empty counts included.

    log q = Σ_d Σ_k log Γ(n_dk + α_k) + Σ_k Σ_v log Γ(n_vk + β_kv) − Σ_k log Γ(n_k + Σ_v β_kv)
    """
    corpus, priors = state.corpus, state.priors
    docs, words, topics = _native.occupancy(
        corpus.doc_offsets,
        corpus.word_ids,
        corpus.counts,
        corpus.n_words,
        priors.n_topics,
        state.topics,
    )
    of_docs = _log_gamma_sum(docs, corpus.n_docs, priors.alpha[None], state.doc_topic_counts)
    of_words = _log_gamma_sum(words, corpus.n_words, priors.beta, state.word_topic_counts)
    return float(of_docs + of_words - gammaln(topics + priors.beta_sum).sum())


def _log_gamma_sum(cells: Counts, n_rows: int, prior: Floats, table: Callable[[], Counts]) -> float:
    """Return Σ log Γ(count + prior) over a table of counts; prior broadcasts against its rows.

    Where all cells have one prior the table is not needed: ``cells[n]`` of them hold n tokens, and
    few n are distinct.
    """
    x = prior.flat[0]
    if (prior == x).all():
        values = np.flatnonzero(cells)
        n_empty = n_rows * prior.shape[1] - cells.sum()
        return float(cells[values] @ gammaln(values + x) + n_empty * gammaln(x))
    return float(gammaln(table() + prior).sum())
