"""Wrong intervals of mixtures of Betas, each by a single mistake. What they contain betrays them.

Each takes shapes (parts, mixtures) and the share that an interval is to contain, and returns both
ends.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, betaincinv, betaln, ndtri, xlog1py, xlogy

from blocklda.summaries.beta_mixtures import beta_mixture_interval


def _ends(quantile, alphas, betas, share):
    tail = (1 - share) / 2
    low, high = quantile(alphas, betas, tail), quantile(alphas, betas, 1 - tail)
    return np.minimum(low, high), np.maximum(low, high)


def _mean_and_deviation(alphas, betas):
    totals = alphas + betas
    means = alphas / totals
    variances = means * (1 - means) / (totals + 1) + (means - means.mean(axis=0)) ** 2
    return means.mean(axis=0), np.sqrt(variances.mean(axis=0))


def _by_standard_deviations(alphas, betas, level):
    """Newton's steps that end when x moves by little, measured in standard deviations."""
    middle, deviation = _mean_and_deviation(alphas, betas)
    low = np.maximum(0, middle - deviation * math.sqrt((1 - level) / level))
    high = np.minimum(1, middle + deviation * math.sqrt(level / (1 - level)))
    x = np.clip(middle + ndtri(level) * deviation, low, high)
    is_open = np.ones(x.shape, dtype=bool)
    for _ in range(30):
        excess = betainc(alphas, betas, x).mean(axis=0) - level
        low, high = np.where(excess < 0, x, low), np.where(excess < 0, high, x)
        log_density = xlogy(alphas - 1, x) + xlog1py(betas - 1, -x) - betaln(alphas, betas)
        with np.errstate(all="ignore"):
            newton = x - excess / np.exp(log_density).mean(axis=0)
        step = np.where((newton > low) & (newton < high), newton, (low + high) / 2) - x
        x = np.where(is_open, x + step, x)
        is_open &= np.abs(step) > 1e-3 * deviation
    return x


def _of_means(alphas, betas, level):
    """What the draws disagree about, without what one draw leaves open."""
    return np.quantile(alphas / (alphas + betas), level, axis=0)


def _of_one_beta(alphas, betas, level):
    """The Beta with the mixture's mean and variance in place of the mixture."""
    mean, deviation = _mean_and_deviation(alphas, betas)
    total = mean * (1 - mean) / deviation**2 - 1
    return betaincinv(mean * total, (1 - mean) * total, level)


def _mean_of_quantiles(alphas, betas, level):
    return betaincinv(alphas, betas, level).mean(axis=0)


def _interval(quantile):
    return lambda alphas, betas, share: _ends(quantile, alphas, betas, share)


INTERVAL_MUTANTS = {
    "close-in-standard-deviations": _interval(_by_standard_deviations),
    "quantiles-of-means": _interval(_of_means),
    "one-beta": _interval(_of_one_beta),
    "mean-of-quantiles": _interval(_mean_of_quantiles),
    "whole-tails": lambda alphas, betas, share: beta_mixture_interval(alphas, betas, 2 * share - 1),
}
