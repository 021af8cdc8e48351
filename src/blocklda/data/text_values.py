"""Texts in memory: what counts as a list of texts, and which of them are missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["as_values", "holds_texts", "is_missing", "starts_with_text"]


def is_missing(value: Any) -> bool:
    """Return True for None, NaN, NaT and pandas's NA."""
    # pandas's NA cannot even be compared with itself.
    if value is None or type(value).__name__ == "NAType":
        return True
    differs = value != value  # noqa: PLR0124  # as NaN and NaT alone do
    return isinstance(differs, bool | np.bool_) and bool(differs)


def as_values(column: Iterable[Any]) -> Iterable[Any]:
    """Return a column of any library as Python values; Arrow's arrays hold scalars of their own."""
    to_list = getattr(column, "to_pylist", None)
    values: Iterable[Any] = column if to_list is None else to_list()
    return values


def holds_texts(X: Any) -> bool:
    """Return True if X is a list or column of strings, of which some may be missing.

    Numbers and rows of numbers are not texts, and neither is a list without a single string.
    """
    if not _is_column(X):
        return False
    has_text = False
    for value in as_values(X):
        if isinstance(value, str):
            has_text = True
        elif not is_missing(value):
            return False
    return has_text


def starts_with_text(X: Any) -> bool:
    """Return True if X is a list or column whose first element is a string."""
    return _is_column(X) and isinstance(next(iter(as_values(X)), None), str)


def _is_column(X: Any) -> bool:
    if sparse.issparse(X) or hasattr(X, "columns"):
        return False
    is_list = isinstance(X, list | tuple) or hasattr(X, "to_pylist")
    return is_list or _is_series(X) or getattr(X, "ndim", None) == 1


def _is_series(X: Any) -> bool:
    """Return True for a column of polars or of Hugging Face's datasets, which has no ``ndim``."""
    return type(X).__module__.partition(".")[0] in ("polars", "datasets") and hasattr(X, "__len__")
