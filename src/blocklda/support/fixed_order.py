"""Sums of products that come out the same to the bit on any number of threads.

`@` is BLAS, which cuts its sums to the threads and the processor it finds. These are NumPy's own
loops, whose order depends on the shapes alone.
"""

from __future__ import annotations

import numpy as np

from blocklda.support.arrays import Floats, Numbers

__all__ = ["column_totals", "dot", "row_totals"]


def dot(first: Numbers, second: Floats) -> float:
    """Return Σ_i a_i b_i."""
    return float((first * second).sum())


def row_totals(table: Floats, weights: Numbers) -> Floats:
    """Return Σ_k t_rk w_k for each row r."""
    totals: Floats = np.einsum("rk,k->r", table, weights.astype(np.float64, copy=False))
    return totals


def column_totals(weights: Numbers, table: Floats) -> Floats:
    """Return Σ_r w_r t_rk for each column k."""
    totals: Floats = np.einsum("r,rk->k", weights.astype(np.float64, copy=False), table)
    return totals
