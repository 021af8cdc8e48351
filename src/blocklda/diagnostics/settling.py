"""Has the answer settled: what verdict and stopping rule ask of a run, by the same measures."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from blocklda.diagnostics.mixing import effective_per_part
from blocklda.support.arrays import Floats

__all__ = [
    "MIN_DRAWS_TO_SETTLE",
    "SETTLED_WITHIN",
    "UNFINISHED_BEYOND",
    "Change",
    "recent_change",
]

PARTS = 4
"""The last quarter of the draws is compared with the quarter before."""

MIN_DRAWS_TO_SETTLE = 20
"""Draws of each chain below which a change is indistinguishable from noise."""

SETTLED_WITHIN = 0.005
"""Predictions have settled when their perplexity changes by less than half a percent from one
quarter of the draws to the next. `python -m benchmarks.settling` compares fits that were stopped by
this with long ones (docs/explanation/stopping.md)."""

UNFINISHED_BEYOND = 0.02
"""A change of more than this between two quarters means that the fit is not finished."""

SURE = 3.0
"""Standard errors that a change must exceed before it counts as one."""


class Change(NamedTuple):
    """How far predictions moved recently, as a share of the perplexity; negative is better."""

    share: float
    error: float
    """Its standard error, NaN where it is not needed: the change is within what is tolerated."""

    @property
    def has_settled(self) -> bool:
        """False where predictions still move by more than is tolerated, beyond doubt."""
        return abs(self.share) <= SETTLED_WITHIN or abs(self.share) < SURE * self.error

    @property
    def may_stop(self) -> bool:
        """True where a fit may end: predictions have settled, and noise does not hide a change.

        With few draws the noise hides much. So a change that would be called unfinished is not put
        down to noise while sweeps can be added.
        """
        return self.has_settled and abs(self.share) <= UNFINISHED_BEYOND

    @property
    def is_noise(self) -> bool:
        """True where predictions changed by more than is tolerated, as chance explains."""
        return self.has_settled and abs(self.share) > SETTLED_WITHIN

    @property
    def is_unfinished(self) -> bool:
        """True if predictions still change too much for the fit to be used."""
        return not self.has_settled and abs(self.share) > UNFINISHED_BEYOND


def recent_change(log_predictive: Floats) -> Change | None:
    """Return how predictions changed from one quarter of the draws to the last.

    ``log_predictive`` is in nats per token, shape (chains, draws); the change is the mean over
    chains. None where there are too few draws, or no predictions in them.
    """
    n_chains, n_draws = log_predictive.shape
    if n_draws < MIN_DRAWS_TO_SETTLE or not np.isfinite(log_predictive).all():
        return None
    size = n_draws // PARTS
    last, before = log_predictive[:, -size:], log_predictive[:, -2 * size : -size]
    parts = np.vstack([before, last])
    share = math.expm1(float(before.mean() - last.mean()))
    if abs(share) <= SETTLED_WITHIN:
        return Change(share, math.nan)
    if not (np.ptp(parts, axis=1) > 0).any():
        return Change(share, 0.0)
    variance = float(parts.var(axis=1, ddof=1).mean())
    return Change(share, math.sqrt(2 * variance / effective_per_part(parts) / n_chains))
