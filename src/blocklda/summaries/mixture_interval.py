"""Equal-tailed intervals of mixtures of Beta laws: what draws of counts say about a probability."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, betaln, ndtri, xlog1py, xlogy

from blocklda.support.arrays import Floats

__all__ = ["beta_mixture_interval"]


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
