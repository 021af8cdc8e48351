"""The topics of single documents, with credible intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.results.result import FitResult, require_draws
from blocklda.summaries.document_numbers import checked_documents
from blocklda.summaries.intervals import Estimates, beta_estimates, check_interval
from blocklda.summaries.mixture_interval import beta_mixture_interval
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints

__all__ = ["document_mixtures"]


CELLS_AT_ONCE = 2**20
"""Laws (draw, document, topic) that are worked out together: a quantile takes some 100 MB."""


def document_mixtures(
    model: FitResult, docs: Sequence[int], interval: float = defaults.INTERVAL
) -> Estimates:
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


def _estimates(model: FitResult, docs: Ints, interval: float) -> Estimates:
    order = model.alignment.order
    firsts = np.array([_weights(draw, docs)[:, order[draw.chain]] for draw in model.draws])
    lengths = model.corpus.doc_lengths()[docs]
    totals = np.array([lengths + draw.priors.alpha.sum() for draw in model.draws])[:, :, None]
    shape = firsts.shape[1:]
    if (totals != totals[0]).any():  # as where α is sampled
        return beta_estimates(firsts, totals - firsts, interval)
    firsts = firsts.reshape(len(firsts), -1)
    sums = np.broadcast_to(totals[0], shape).ravel()
    found = Estimates(firsts.mean(axis=0) / sums, np.empty(sums.shape), np.empty(sums.shape))
    for cells, laws, weights in _distinct(firsts):
        rests = np.maximum(sums[cells] - laws, np.finfo(np.float64).tiny)
        found.low[cells], found.high[cells] = beta_mixture_interval(laws, rests, interval, weights)
    return Estimates(*(part.reshape(shape) for part in found))


def _distinct(firsts: Floats) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Yield some columns, the different values in each, and how often they come, as shares.

    A topic has few different counts in a document over all draws, often none at all. Columns that
    have about as many are dealt with together; what is missing below has the weight 0.
    """
    ordered = np.sort(firsts, axis=0)
    is_new = np.ones(ordered.shape, dtype=bool)
    is_new[1:] = ordered[1:] != ordered[:-1]
    ranks = np.cumsum(is_new, axis=0) - 1
    least = 0
    while least < len(firsts):
        most = 2 * least + 1
        cells = np.flatnonzero((ranks[-1] >= least) & (ranks[-1] < most))
        laws = np.ones((most, len(cells)))
        shares = np.zeros((most, len(cells)))
        at = ranks[:, cells], np.broadcast_to(np.arange(len(cells)), (len(firsts), len(cells)))
        laws[at] = ordered[:, cells]
        np.add.at(shares, at, 1 / len(firsts))
        if len(cells):
            yield cells, laws, shares
        least = most


def _weights(draw: Draw, docs: Ints) -> Floats:
    """Return n_dk + α_k."""
    return draw.doc_topic_counts_of(docs) + draw.priors.alpha
