"""Equal-tailed intervals of mixtures of Beta laws: what draws of counts say about a probability."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, ndtri, xlog1py, xlogy

__all__ = ["beta_mixture_interval"]

Floats = NDArray[np.float64]

STEPS = 30
"""At most so many evaluations; five or six do unless the mixture has several peaks."""

PRECISION = 1e-3
"""How close an end must be, in standard deviations of the mixture."""


def beta_mixture_interval(alphas: Floats, betas: Floats, share: float) -> tuple[Floats, Floats]:
    """Return the ends of the interval that holds ``share`` of each mixture, with equal tails.

    Column j is the mixture, with equal weights, of the laws Beta(alphas[i, j], betas[i, j]).
    """
    tail = (1 - share) / 2
    return _quantile(alphas, betas, tail), _quantile(alphas, betas, 1 - tail)


def _quantile(alphas: Floats, betas: Floats, level: float) -> Floats:
    """Solve for the point below which ``level`` of each mixture lies, by bracketed Newton steps."""
    totals = alphas + betas
    means = alphas / totals
    middle = means.mean(axis=0)
    deviation = np.sqrt((means * (1 - means) / (totals + 1)).mean(axis=0) + means.var(axis=0))
    # Cantelli's inequality: no law has its quantile further than this from its mean.
    low = np.maximum(0, middle - deviation * math.sqrt((1 - level) / level))
    high = np.minimum(1, middle + deviation * math.sqrt(level / (1 - level)))
    log_beta = betaln(alphas, betas)
    x = np.clip(middle + ndtri(level) * deviation, low, high)
    for _ in range(STEPS):
        excess = betainc(alphas, betas, x).mean(axis=0) - level
        low, high = np.where(excess < 0, x, low), np.where(excess < 0, high, x)
        log_density = xlogy(alphas - 1, x) + xlog1py(betas - 1, -x) - log_beta
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            newton = x - excess / np.exp(log_density).mean(axis=0)
        inside = (newton > low) & (newton < high)
        step = np.where(inside, newton, (low + high) / 2) - x
        x = x + step
        if (np.abs(step) <= PRECISION * deviation).all():
            break
    return np.asarray(x)
