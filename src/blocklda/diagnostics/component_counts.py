"""How many components a fit has, by several measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.diagnostics.mixing import measure
from blocklda.models.base import Role
from blocklda.results.result import FitResult
from blocklda.support.defaults import INTERVAL

__all__ = ["ComponentCount", "component_counts"]


@dataclass(frozen=True)
class ComponentCount:
    """One measure over the draws of all chains: median, credible interval, R-hat.

    R-hat is NaN with one chain. A large one says that the chains do not agree on the number, and
    neither they nor their average should be reported.
    """

    measure: str
    median: float
    low: float
    high: float
    r_hat: float

    def __str__(self) -> str:
        return f"{self.measure}: {self.median:g} ({self.low:g} to {self.high:g})"


def component_counts(result: FitResult, interval: float = INTERVAL) -> tuple[ComponentCount, ...]:
    """Return a row for every measure that the model records."""
    found = []
    tails = [(1 - interval) / 2, 0.5, (1 + interval) / 2]
    for quantity, values in result.trace.of_role(Role.SCALAR):
        if "components" not in quantity.name:
            continue
        low, median, high = (float(x) for x in np.quantile(values, tails))
        r_hat = measure(quantity.label, values, result.seconds, 1).r_hat
        found.append(ComponentCount(quantity.label, median, low, high, r_hat))
    return tuple(found)
