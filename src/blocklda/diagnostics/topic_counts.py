"""How many topics a fit with a varying number of them has: a posterior, not a finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.diagnostics.mixing import measure
from blocklda.models.base import Role
from blocklda.results.trace import Trace
from blocklda.support.arrays import Floats

__all__ = ["TopicCount", "TopicCountSummary", "topic_count_summary"]

COUNTS = ("n_topics", "n_topics_95", "n_topics_99", "n_large_topics", "effective_topics")
R_HAT_LIMIT = 1.1

NOT_A_FINDING = (
    "The number of topics is not a property of the corpus: it grows with the number of documents "
    "and with 1/beta."
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        low, median, high = self.quantiles
        r_hat_or_none = None if np.isnan(self.r_hat) else self.r_hat
        return {
            "low": low,
            "median": median,
            "high": high,
            "by_chain": list(self.by_chain),
            "r_hat": r_hat_or_none,
        }


@dataclass(frozen=True)
class TopicCountSummary:
    """All ways to count topics, and what to make of them."""

    counts: tuple[TopicCount, ...]
    advice: str

    def __getitem__(self, name: str) -> TopicCount:
        return next(count for count in self.counts if count.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {count.name: count.to_dict() for count in self.counts} | {"advice": self.advice}

    def __str__(self) -> str:
        lines = [
            f"{one.title}: {one.quantiles[1]:.0f} ({one.quantiles[0]:.0f} to "
            f"{one.quantiles[2]:.0f})" + ("" if np.isnan(one.r_hat) else f", R-hat {one.r_hat:.2f}")
            for one in self.counts
        ]
        return "\n".join([*lines, self.advice])


def topic_count_summary(trace: Trace) -> TopicCountSummary:
    """Return the posterior of the number of topics in several senses."""
    titles = {quantity.name: quantity.label for quantity, _ in trace.of_role(Role.SCALAR)}
    counts = tuple(_count(name, titles[name], trace[name]) for name in COUNTS)
    return TopicCountSummary(counts, _advice(counts, trace.n_chains))


def _count(name: str, title: str, values: Floats) -> TopicCount:
    low, median, high = np.quantile(values, (0.05, 0.5, 0.95))
    return TopicCount(
        name,
        title,
        (float(low), float(median), float(high)),
        tuple(map(float, values.mean(axis=1))),
        measure(name, values).r_hat if len(values) > 1 else float("nan"),
    )


def _advice(counts: tuple[TopicCount, ...], n_chains: int) -> str:
    if n_chains == 1:
        return f"{NOT_A_FINDING} One chain cannot show whether it has settled: fit several."
    if any(np.isnan(one.r_hat) for one in counts):
        return f"{NOT_A_FINDING} There are too few draws to compare chains: run more sweeps."
    apart = [one.title for one in counts if one.r_hat > R_HAT_LIMIT]
    if apart:
        return f"{NOT_A_FINDING} Chains from different starts do not agree on: {', '.join(apart)}."
    return f"{NOT_A_FINDING} Chains from different starts agree on it here."
