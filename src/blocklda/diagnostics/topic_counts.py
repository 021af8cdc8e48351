"""How many topics a fit with a varying number of them has: a posterior, not a finding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.diagnostics.mixing import measure
from blocklda.models.base import Role
from blocklda.results.result import FitResult
from blocklda.support.arrays import Floats

__all__ = ["TopicCount", "TopicCountSummary", "topic_count_summary"]

R_HAT_LIMIT = 1.1


def not_a_finding(counted: str) -> str:
    """Return what has to be said with every number of topics that was not given."""
    return (
        f"The number of {counted} is not a property of the corpus: it grows with the number of "
        "documents and with 1/beta."
    )


@dataclass(frozen=True)
class TopicCount:
    """One way to count topics: quantiles over all draws, means by chain, and R-hat.

    ``r_hat`` is NaN with one chain.
    """

    name: str
    title: str
    quantiles: tuple[float, float, float]
    by_chain: tuple[float, ...]
    r_hat: float

    @property
    def low(self) -> float:
        """The lower end of the 90 % interval."""
        return self.quantiles[0]

    @property
    def median(self) -> float:
        """The median."""
        return self.quantiles[1]

    @property
    def high(self) -> float:
        """The upper end of the 90 % interval."""
        return self.quantiles[2]

    def __str__(self) -> str:
        return f"{self.title}: {self.median:.0f} ({self.low:.0f} to {self.high:.0f})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        r_hat_or_none = None if np.isnan(self.r_hat) else self.r_hat
        return {
            "low": self.low,
            "median": self.median,
            "high": self.high,
            "by_chain": list(self.by_chain),
            "r_hat": r_hat_or_none,
        }


@dataclass(frozen=True)
class TopicCountSummary:
    """All ways to count topics, and what to make of them."""

    counts: tuple[TopicCount, ...]
    advice: str

    def __iter__(self) -> Iterator[TopicCount]:
        return iter(self.counts)

    def __getitem__(self, name: str) -> TopicCount:
        return next(count for count in self.counts if count.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {count.name: count.to_dict() for count in self.counts} | {"advice": self.advice}

    def __str__(self) -> str:
        lines = [
            str(one) + ("" if np.isnan(one.r_hat) else f", R-hat {one.r_hat:.2f}")
            for one in self.counts
        ]
        return "\n".join([*lines, self.advice])


def topic_count_summary(result: FitResult) -> TopicCountSummary | None:
    """Return the posterior of the number of topics in several senses; None if it was given.

    Where a chain has no draw, since the fit was interrupted, there is none either.
    """
    trace = result.trace
    counts = tuple(
        _count(quantity.name, quantity.label, values)
        for quantity, values in trace.of_role(Role.SCALAR)
        if quantity.is_count and trace.n_draws
    )
    if not counts:
        return None
    return TopicCountSummary(counts, _advice(counts, trace.n_chains, result.counted))


def _count(name: str, title: str, values: Floats) -> TopicCount:
    low, median, high = np.quantile(values, (0.05, 0.5, 0.95))
    return TopicCount(
        name,
        title,
        (float(low), float(median), float(high)),
        tuple(map(float, values.mean(axis=1))),
        measure(name, values).r_hat if len(values) > 1 else float("nan"),
    )


def _advice(counts: tuple[TopicCount, ...], n_chains: int, counted: str) -> str:
    first = not_a_finding(counted)
    if n_chains == 1:
        return f"{first} One chain cannot show whether it has settled: fit several."
    if any(np.isnan(one.r_hat) for one in counts):
        return f"{first} There are too few draws to compare chains: run more sweeps."
    apart = [one.title for one in counts if one.r_hat > R_HAT_LIMIT]
    if apart:
        return f"{first} Chains from different starts do not agree on: {', '.join(apart)}."
    return f"{first} Chains from different starts agree on it here."
