"""Posterior means with credible intervals, and what an interval may be asked to hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, betaln, ndtri, xlog1py, xlogy

from blocklda.support.arrays import Floats
from blocklda.support.errors import not_allowed

__all__ = [
    "Estimate",
    "Estimates",
    "beta_estimates",
    "beta_mixture_interval",
    "check_interval",
    "draw_estimates",
]


@dataclass(frozen=True)
class Estimate:
    """A posterior mean and an equal-tailed credible interval."""

    mean: float
    low: float
    high: float


class Estimates(NamedTuple):
    """Arrays of one shape: posterior means and the ends of equal-tailed credible intervals."""

    mean: Floats
    low: Floats
    high: Floats


def draw_estimates(draws: Floats, interval: float) -> Estimates:
    """Return the mean and the quantiles over the first axis, that of the draws."""
    share = check_interval(interval)
    low, high = np.quantile(draws, [(1 - share) / 2, (1 + share) / 2], axis=0)
    return Estimates(draws.mean(axis=0), low, high)


def beta_estimates(alphas: Floats, betas: Floats, interval: float) -> Estimates:
    """Return mean and interval of the mixtures, over the first axis, of Beta(alphas, betas).

    That is what draws of counts say about a probability: both what the draws disagree about and
    what one draw leaves open.
    """
    share = check_interval(interval)
    # Where one outcome has all there is, nothing would be left by rounding.
    betas = np.maximum(betas, np.finfo(np.float64).tiny)
    mean = (alphas / (alphas + betas)).mean(axis=0)
    return Estimates(mean, *beta_mixture_interval(alphas, betas, share))


def check_interval(interval: Any) -> float:
    """Return the probability that intervals are to hold, or say what it can be."""
    try:
        share = float(interval)
    except (TypeError, ValueError):
        share = math.nan
    if not 0 < share < 1:
        raise not_allowed("interval", interval, "a number between 0 and 1")
    return share


STEPS = 30
"""At most so many evaluations; five or six do unless the mixture has several peaks."""

PRECISION = 1e-3
"""How close an end must be, in standard deviations of the mixture."""


def beta_mixture_interval(
    alphas: Floats, betas: Floats, share: float, weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the ends of the interval that holds ``share`` of each mixture, with equal tails.

    Column j is the mixture of the laws Beta(alphas[i, j], betas[i, j]), with equal weights or with
    those given, of the same shape, which add up to 1 over i.
    """
    n_laws, *shape = alphas.shape
    parts = (alphas, betas, np.array(1 / n_laws) if weights is None else weights)
    a, b, w = (np.broadcast_to(part, alphas.shape).reshape(n_laws, -1) for part in parts)
    tail = (1 - share) / 2
    low, high = (_quantile(a, b, w, level).reshape(shape) for level in (tail, 1 - tail))
    # Ends that are closer to each other than they are solved for may come out in the wrong order.
    return np.minimum(low, high), np.maximum(low, high)


def _quantile(alphas: Floats, betas: Floats, weights: Floats, level: float) -> Floats:
    """Solve for the point below which ``level`` of each mixture lies, by bracketed Newton steps."""
    totals = alphas + betas
    means = alphas / totals
    middle = (weights * means).sum(axis=0)
    variances = means * (1 - means) / (totals + 1) + (means - middle) ** 2
    deviation = np.sqrt((weights * variances).sum(axis=0))
    # Cantelli's inequality: no law has its quantile further than this from its mean.
    low = np.maximum(0, middle - deviation * math.sqrt((1 - level) / level))
    high = np.minimum(1, middle + deviation * math.sqrt(level / (1 - level)))
    log_beta = betaln(alphas, betas)
    x = np.clip(middle + ndtri(level) * deviation, low, high)
    open_ = np.arange(len(x))  # the mixtures whose end is not yet close enough
    for _ in range(STEPS):
        a, b, w, at = alphas[:, open_], betas[:, open_], weights[:, open_], x[open_]
        excess = (w * betainc(a, b, at)).sum(axis=0) - level
        low[open_] = np.where(excess < 0, at, low[open_])
        high[open_] = np.where(excess < 0, high[open_], at)
        log_density = xlogy(a - 1, at) + xlog1py(b - 1, -at) - log_beta[:, open_]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            newton = at - excess / (w * np.exp(log_density)).sum(axis=0)
        inside = (newton > low[open_]) & (newton < high[open_])
        x[open_] = np.where(inside, newton, (low[open_] + high[open_]) / 2)
        open_ = open_[np.abs(x[open_] - at) > PRECISION * deviation[open_]]
        if not open_.size:
            break
    return np.asarray(x)
