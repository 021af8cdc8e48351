"""Did the chains converge: traces, R-hat and effective draws, and the verdict in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.report.page import short
from blocklda.results.result import FitResult
from blocklda.support.arrays import Floats

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["by_sweep", "convergence"]

POINTS = 400
"""Approximate maximum of the sweeps of a trace that are drawn."""


def convergence(lda: LDA, model: FitResult) -> dict[str, Any]:
    """Return the traces and what the diagnostics say."""
    if not model.trace.n_draws:
        found: dict[str, Any] = {
            "level": "amber",
            "headline": "A chain has no draw yet.",
            "verdict": "A chain has no draw yet, since the fit was interrupted: its convergence "
            "cannot be assessed.",
            "table": [],
        }
    else:
        diagnostics = lda.diagnostics()
        found = {
            "level": str(diagnostics.level),
            "headline": diagnostics.headline,
            "verdict": diagnostics.verdict,
            "table": [
                {
                    "quantity": row.quantity,
                    **{
                        name: short(getattr(row, name))
                        for name in ("mean", "sd", "ess_bulk", "ess_tail", "ess_per_second")
                    },
                    # Infinite where every chain stands still at a value of its own.
                    "r_hat": "∞" if np.isinf(row.r_hat) else short(row.r_hat),
                }
                for row in diagnostics.label_invariant
            ],
        }
    return {**found, "burn_in": model.burn_in, "traces": by_sweep(model.log_posterior)}


def by_sweep(values: Floats) -> dict[str, Any]:
    """Return what every chain has at some sweeps, the last one always among them."""
    n_sweeps = values.shape[1]
    every = max(1, -(-n_sweeps // POINTS))
    sweeps = np.unique(np.append(np.arange(0, n_sweeps, every), n_sweeps - 1))
    # Not shortened: of numbers in the millions the last digits are what moves.
    chains = [
        [None if np.isnan(value) else round(float(value), 1) for value in row[sweeps]]
        for row in values
    ]
    return {"sweeps": (sweeps + 1).tolist(), "chains": chains}
