"""A claim of the paper beside what was measured: a row of the table in results.md."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from blocklda.support.arrays import Floats

__all__ = ["Claim", "PairedDifference", "answer"]

CONFIDENCE = 0.95
"""A difference counts as one if this confidence interval for its mean leaves out none."""


@dataclass(frozen=True)
class Claim:
    """What the paper says, what was measured, and whether it holds here."""

    study: str
    says: str
    measured: str
    holds: str


def answer(holds: bool) -> str:
    """Return the word for the last column."""
    return "yes" if holds else "no"


@dataclass(frozen=True)
class PairedDifference:
    """The mean over starts of a difference between two samplers, with its standard error."""

    mean: float
    error: float
    margin: float
    """Half of the confidence interval, by Student's t with one degree less than starts."""

    @classmethod
    def of(cls, one: Floats, other: Floats) -> PairedDifference:
        """Return that of one − other, both with a value per start."""
        differences = one - other
        n = len(differences)
        if n == 1:
            return cls(float(differences[0]), np.inf, np.inf)
        error = float(differences.std(ddof=1) / np.sqrt(n))
        margin = error * float(stdtrit(n - 1, (1 + CONFIDENCE) / 2))
        return cls(float(differences.mean()), error, margin)

    @property
    def is_below(self) -> bool:
        """Return True if it is clearly negative."""
        return self.mean < -self.margin

    @property
    def is_above(self) -> bool:
        """Return True if it is clearly positive."""
        return self.mean > self.margin

    def __str__(self) -> str:
        digits = max(0, 1 - int(np.floor(np.log10(self.error)))) if 0 < self.error < np.inf else 0
        return f"{self.mean:,.{min(digits, 3)}f} ± {self.error:,.{min(digits, 3)}f}"
