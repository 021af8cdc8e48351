"""The share of all tokens that each topic has, whatever a fit has left to tell it by."""

from __future__ import annotations

import math

from blocklda.results.result import FitResult
from blocklda.summaries.intervals import Estimate
from blocklda.summaries.topics import prevalence
from blocklda.support.arrays import Floats
from blocklda.support.fixed_order import column_totals

__all__ = ["topic_shares"]


def topic_shares(model: FitResult, interval: float) -> list[Estimate]:
    """Return the share of all tokens that each topic has; without draws no interval is known."""
    if model.trace.n_draws:
        return prevalence(model.trace, model.alignment.order, interval)
    # An interrupted fit may have a chain without a draw: the mean over the others is all there is.
    corpus = model.corpus
    sizes: Floats = column_totals(corpus.doc_lengths(), model.doc_topic) / corpus.n_tokens
    return [Estimate(float(size), math.nan, math.nan) for size in sizes]
