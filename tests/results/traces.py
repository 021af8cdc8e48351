"""Traces of LDA from arrays, as a run would have recorded them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from blocklda.models.base import Quantity, Role
from blocklda.models.lda.model import TOPIC_SIZE
from blocklda.results.trace import Trace

QUANTITIES = (
    TOPIC_SIZE,
    Quantity("co_assignment", Role.BY_PAIR, lambda draw: None, title="co-assignment"),
    Quantity("log_predictive", Role.SCALAR, lambda draw: None, title="log predictive"),
    Quantity("alpha", Role.BY_TOPIC, lambda draw: None, summary="sum"),
    Quantity("beta", Role.SCALAR, lambda draw: None),
)


def lda_trace(sweeps: np.ndarray, log_posterior: np.ndarray, *, seconds: float, **values: Any):
    """Return a trace of the quantities that values are given for."""
    given = tuple(quantity for quantity in QUANTITIES if quantity.name in values)
    return Trace(sweeps, log_posterior, given, values, seconds)


def changed(trace: Trace, **values: Any) -> Trace:
    """Return the trace with other values of some quantities, or with more of them."""
    merged = {**trace.values, **values}
    quantities = tuple(quantity for quantity in QUANTITIES if quantity.name in merged)
    return replace(trace, values=merged, quantities=quantities)
