"""The curves of a comparison, for figures and for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from blocklda.support.arrays import Floats
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed, Given, Remedy

if TYPE_CHECKING:
    from blocklda.evaluate.compare_result import Comparison

__all__ = ["X_LABELS", "Y_LABELS", "curves", "lowest_shown"]


X_LABELS = {"sweeps": "sweeps", "seconds": "seconds within sweeps"}
Y_LABELS = {"log_posterior": "log posterior", "perplexity": "held-out perplexity"}

SHOWN_FROM = 0.05
"""The log posterior is shown from where half of the chains are after this share of the sweeps: the
climb from a random start is so steep that nothing else would be seen."""


def curves(comparison: Comparison, x: str, y: str) -> tuple[Floats, Floats]:
    """Return both coordinates, shape (samplers, starts, points), from the first sweep on."""
    _check("x", x, X_LABELS)
    _check("y", y, Y_LABELS)
    values: Floats = getattr(comparison, y)
    sweeps = comparison.window_ends
    if y == "log_posterior":
        values = values[:, :, 1:]
        sweeps = np.arange(1, comparison.n_sweeps + 1)
    if x == "seconds":
        return comparison.seconds[:, :, sweeps], values
    return np.broadcast_to(sweeps.astype(np.float64), values.shape), values


def lowest_shown(log_posterior: Floats) -> float:
    """Return the log posterior that a picture of these curves begins at."""
    first = int(SHOWN_FROM * log_posterior.shape[2])
    return min(float(np.median(log_posterior[:, :, first])), float(log_posterior[:, :, -1].min()))


def _check(name: str, value: str, allowed: dict[str, str]) -> None:
    if value not in allowed:
        choices = " or ".join(map(repr, allowed))
        raise InputError(
            Given(name, value),
            " is unknown: ",
            Remedy("choose ", Allowed(choices, choices=allowed)),
            ".",
        )
