"""Texts in memory: what counts as a list of texts, and which of them are missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from blocklda.support.extras import import_extra

__all__ = [
    "as_values",
    "has_arrow",
    "holds_texts",
    "is_column",
    "is_missing",
    "starts_with_text",
]


def is_missing(value: Any) -> bool:
    """Return True for None, NaN, NaT and pandas's NA."""
    # pandas's NA cannot even be compared with itself.
    if value is None or type(value).__name__ == "NAType":
        return True
    differs = value != value  # noqa: PLR0124  # as NaN and NaT alone do
    return isinstance(differs, bool | np.bool_) and bool(differs)


def as_values(column: Any) -> Iterable[Any]:
    """Return a column of any library as Python values.

    Arrow's own arrays and polars's Series have a method for that. What only speaks Arrow's protocol
    is read by pyarrow, and what is only an array by NumPy.
    """
    for name in ("to_pylist", "to_list"):
        if hasattr(column, name):
            values: Iterable[Any] = getattr(column, name)()
            return values
    if isinstance(column, Iterable):
        return column
    if has_arrow(column):
        pyarrow = import_extra("pyarrow", "parquet", "reading Arrow data")
        arrow: Iterable[Any] = pyarrow.chunked_array(column).to_pylist()
        return arrow
    listed: Iterable[Any] = np.asarray(column).tolist()
    return listed


def is_column(X: Any) -> bool:
    """Return True for what yields values, or can be turned into them by `as_values`."""
    if isinstance(X, str | bytes):
        return False
    return isinstance(X, Iterable) or has_arrow(X) or hasattr(X, "__array__")


def has_arrow(X: Any) -> bool:
    """Return True for data that any library of Arrow can take over."""
    return hasattr(X, "__arrow_c_stream__")


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
    """Return True for a list, tuple, array or column; numbers may be in it, tables may not."""
    if sparse.issparse(X) or isinstance(X, str | bytes) or hasattr(X, "columns"):
        return False
    # Columns of polars and of Hugging Face's datasets have no ``ndim``.
    is_listed = isinstance(X, Sequence) or hasattr(X, "to_pylist") or hasattr(X, "to_list")
    return is_listed or getattr(X, "ndim", None) == 1
