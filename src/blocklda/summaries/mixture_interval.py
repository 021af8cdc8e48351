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
    shape, n_draws = alphas.shape[1:], len(alphas)
    alphas, betas = alphas.reshape(n_draws, -1), betas.reshape(n_draws, -1)
    totals = alphas + betas
    means = alphas / totals
    middle = means.mean(axis=0)
    deviation = np.sqrt((means * (1 - means) / (totals + 1)).mean(axis=0) + means.var(axis=0))
    # Cantelli's inequality: no law has its quantile further than this from its mean.
    low = np.maximum(0, middle - deviation * math.sqrt((1 - level) / level))
    high = np.minimum(1, middle + deviation * math.sqrt(level / (1 - level)))
    log_beta = betaln(alphas, betas)
    x = np.clip(middle + ndtri(level) * deviation, low, high)
    open_ = np.arange(len(x))  # the mixtures whose end is not yet close enough
    for _ in range(STEPS):
        a, b, at = alphas[:, open_], betas[:, open_], x[open_]
        excess = betainc(a, b, at).mean(axis=0) - level
        low[open_] = np.where(excess < 0, at, low[open_])
        high[open_] = np.where(excess < 0, high[open_], at)
        log_density = xlogy(a - 1, at) + xlog1py(b - 1, -at) - log_beta[:, open_]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            newton = at - excess / np.exp(log_density).mean(axis=0)
        inside = (newton > low[open_]) & (newton < high[open_])
        x[open_] = np.where(inside, newton, (low[open_] + high[open_]) / 2)
        open_ = open_[np.abs(x[open_] - at) > PRECISION * deviation[open_]]
        if not open_.size:
            break
    return np.asarray(x.reshape(shape))
