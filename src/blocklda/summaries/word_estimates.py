"""How probable words are in topics, with credible intervals."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.results.trace import Trace
from blocklda.summaries.intervals import Estimates, beta_estimates
from blocklda.summaries.word_counts import WordCounts
from blocklda.support.arrays import Ints
from blocklda.support.errors import InputError

__all__ = ["word_estimates"]

TOPICS_AT_ONCE = 16
"""Topics whose laws are worked out together: what a quantile takes in memory grows with them."""


def word_estimates(
    draws: Iterable[Draw],
    trace: Trace,
    order: Ints,
    columns: Ints,
    interval: float,
) -> Estimates:
    """Return φ_kv of the words in ``columns`` (topics, places), of the same shape.

    ``order`` puts the topics of every chain beside those of the first.

    Given a draw, φ_kv has the law Beta(n_vk + β_kv, n_k + Σ_v β_kv − n_vk − β_kv); the interval of
    a word is that of the mixture of these laws over the draws. Draws of all chains are pooled. For
    a topic that is not stable they are draws about different topics, and the interval spans them.
    """
    alphas, betas = [], []
    counts: WordCounts | None = None
    for draw in draws:
        if counts is None:
            counts = WordCounts.create(draw.corpus, columns)
        partners = order[draw.chain]
        at = int(np.searchsorted(trace.sweeps, draw.sweep))
        beta = draw.priors.beta
        prior = beta[0, partners][:, None] if len(beta) == 1 else beta[columns, partners[:, None]]
        first = counts.of(draw.topics, partners) + prior
        totals = trace.topic_sizes[draw.chain, at, partners] + draw.priors.beta_sum[partners]
        alphas.append(first)
        betas.append(totals[:, None] - first)
    if counts is None:
        raise InputError("there are no draws to summarise: make some first.")
    firsts, seconds = np.array(alphas), np.array(betas)
    pieces = [slice(k, k + TOPICS_AT_ONCE) for k in range(0, len(columns), TOPICS_AT_ONCE)]
    parts = [beta_estimates(firsts[:, piece], seconds[:, piece], interval) for piece in pieces]
    return Estimates(*map(np.concatenate, zip(*parts, strict=True)))
