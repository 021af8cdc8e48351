"""How many topics there are in a model that does not give their number: over sweeps, and summed."""

from __future__ import annotations

from typing import Any

from blocklda.diagnostics.topic_counts import topic_count_summary
from blocklda.report.convergence import by_sweep
from blocklda.report.page import short, shorts
from blocklda.results.result import FitResult

__all__ = ["topic_counts"]


def topic_counts(result: FitResult) -> dict[str, Any] | None:
    """Return the counts over sweeps and what they amount to; None where the number was given."""
    if result.counts is None:
        return None
    found = topic_count_summary(result)
    return {
        "counted": result.counted,
        "burn_in": result.burn_in,
        "traces": by_sweep(result.counts),
        "advice": "" if found is None else found.advice,
        "table": [
            {
                "title": one.title,
                "median": short(one.median),
                "low": short(one.low),
                "high": short(one.high),
                "by_chain": shorts(one.by_chain),
                "r_hat": short(one.r_hat),
            }
            for one in found or ()
        ],
    }
