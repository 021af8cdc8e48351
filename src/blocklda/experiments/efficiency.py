"""Effective samples of log q per second: what a sampler is worth once it has arrived."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.diagnostics.mixing import measure
from blocklda.evaluate.compare_result import Comparison

__all__ = ["Efficiency", "efficiencies"]

BURN_IN = 0.5
"""The share of the sweeps that is left out."""


@dataclass(frozen=True)
class Efficiency:
    """Medians over starts of one sampler after the burn-in; NaN where sweeps are too few.

    Of each start by itself: chains from different starts sit in different modes, and together
    they would measure that.
    """

    sampler: str
    ess_per_sweep: float
    ess_per_second: float


def efficiencies(comparison: Comparison) -> list[Efficiency]:
    """Return how fast each sampler makes effective samples of log q."""
    first = 1 + int(BURN_IN * comparison.n_sweeps)
    n_kept = comparison.n_sweeps + 1 - first
    found = []
    for s, name in enumerate(comparison.samplers):
        seconds = comparison.seconds[s, :, -1] - comparison.seconds[s, :, first - 1]
        starts = [
            measure("log q", comparison.log_posterior[s, r : r + 1, first:], float(seconds[r]))
            for r in range(comparison.n_starts)
        ]
        per_sweep = np.median([start.ess_bulk / n_kept for start in starts])
        per_second = np.median([start.ess_per_second for start in starts])
        found.append(Efficiency(name, float(per_sweep), float(per_second)))
    return found
