"""The topics of single documents, with credible intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blocklda.store import Draw
from blocklda.summaries.document_numbers import checked_documents
from blocklda.summaries.fitted import Fitted, require_draws
from blocklda.summaries.intervals import Estimates, beta_estimates, check_interval

__all__ = ["document_mixtures"]

Floats = NDArray[np.float64]

CELLS_AT_ONCE = 2**20
"""Laws (draw, document, topic) that are worked out together: a quantile takes some 100 MB."""


def document_mixtures(model: Fitted, docs: Sequence[int], interval: float = 0.9) -> Estimates:
    """Return θ_dk of some documents, in arrays of the shape (documents asked for, topics).

    Given a draw, θ_dk has the law Beta(n_dk + α_k, N_d + Σ_k α_k − n_dk − α_k). The mean and the
    interval are those of the mixture of these laws over the draws of all chains, topics put beside
    their partners.
    """
    require_draws(model.draws, "document_mixtures")
    check_interval(interval)
    numbers = checked_documents(docs, model.corpus.n_docs)
    at_once = max(1, CELLS_AT_ONCE // (len(model.draws) * model.n_topics))
    parts = [
        _estimates(model, numbers[start : start + at_once], interval)
        for start in range(0, max(1, len(numbers)), at_once)
    ]
    return Estimates(*map(np.concatenate, zip(*parts, strict=True)))


def _estimates(model: Fitted, docs: NDArray[np.int64], interval: float) -> Estimates:
    order = model.alignment.order
    firsts = np.array([_weights(draw, docs)[:, order[draw.chain]] for draw in model.draws])
    seconds = firsts.sum(axis=2, keepdims=True) - firsts
    shape = firsts.shape[1:]
    firsts, seconds = (part.reshape(len(model.draws), -1) for part in (firsts, seconds))
    found = np.empty((3, firsts.shape[1]))
    # Most topics have no token of a document in any draw: one law, and the same for many of them.
    same = (firsts == firsts[0]).all(axis=0) & (seconds == seconds[0]).all(axis=0)
    laws, of_cell = np.unique(
        np.stack([firsts[0, same], seconds[0, same]]), axis=1, return_inverse=True
    )
    found[:, same] = np.stack(beta_estimates(laws[:1], laws[1:], interval))[:, of_cell]
    found[:, ~same] = beta_estimates(firsts[:, ~same], seconds[:, ~same], interval)
    return Estimates(*(part.reshape(shape) for part in found))


def _weights(draw: Draw, docs: NDArray[np.int64]) -> Floats:
    """Return n_dk + α_k."""
    return draw.doc_topic_counts_of(docs) + draw.priors.alpha
