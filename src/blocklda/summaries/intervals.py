"""Posterior means with credible intervals, and what an interval may be asked to hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from blocklda.summaries.beta_mixtures import beta_mixture_interval
from blocklda.support.arrays import Floats
from blocklda.support.errors import not_allowed

__all__ = [
    "Estimate",
    "Estimates",
    "beta_estimates",
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
