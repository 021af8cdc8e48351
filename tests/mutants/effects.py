"""Wrong regressions of topic shares: intervals that leave out what a fit does not know.

Each takes a fitted model, the design and the share that intervals are to hold, and returns low and
high ends of the coefficients, shape (terms, topics).
"""

from __future__ import annotations

import numpy as np
from scipy import stats


def _ends(shares, design, interval):
    inverse = np.linalg.pinv(design)
    found = inverse @ shares
    residuals = shares - design @ found
    degrees = len(design) - design.shape[1]
    unscaled = np.diag(inverse @ inverse.T)
    errors = np.sqrt(np.outer(unscaled, (residuals**2).sum(axis=0) / degrees))
    half = stats.t.ppf((1 + interval) / 2, degrees) * errors
    return found - half, found + half


def of_means(lda, design, interval):
    """Take posterior means for data."""
    return _ends(lda.doc_topic_, design, interval)


def of_the_mean_draw(lda, design, interval):
    """Take the mean over draws of the shares for data."""
    lengths = lda.result_.corpus.doc_lengths()[:, None]
    draws = [draw.doc_topic_counts() / lengths for draw in lda.result_.reference_draws]
    return _ends(np.mean(draws, axis=0), design, interval)


EFFECT_MUTANTS = {"of means": of_means, "of the mean draw": of_the_mean_draw}
