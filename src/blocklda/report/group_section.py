"""Topics over dates or groups of documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from blocklda.report.page import shorts
from blocklda.results.result import FitResult
from blocklda.summaries.group_prevalence import group_prevalence
from blocklda.support.errors import InputError

__all__ = ["group_section"]


def group_section(
    model: FitResult, groups: Sequence[Any] | None, name: str | None, interval: float
) -> dict[str, Any] | None:
    """Return the share of every topic in every group, with intervals; None without groups."""
    if groups is None:
        if name is not None:
            raise InputError.of(
                "{group_name=} was given without groups: [give groups= as well]."
            ).where(group_name=name)
        return None
    found = group_prevalence(model, groups, interval)
    own_name = getattr(groups, "name", None)  # that of a pandas Series
    return {
        "name": str(name or own_name or "group"),
        "kind": found.kind,
        "labels": list(found.labels),
        # Where dates and numbers lie on their axis; None for documents without one.
        "places": found.starts if found.middles is None else _numbers(found.middles),
        "empty": list(found.empty),
        "documents": found.n_docs.tolist(),
        "tokens": found.n_tokens.tolist(),
        # By topic, since a page shows one topic after the other.
        "mean": shorts(found.prevalence.mean.T),
        "low": shorts(found.prevalence.low.T),
        "high": shorts(found.prevalence.high.T),
    }


def _numbers(middles: Sequence[float]) -> list[float | None]:
    """Return numbers with all their digits: of years and dates in seconds the last ones tell."""
    return [None if math.isnan(middle) else middle for middle in middles]
