"""Documents that a user asks for by number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from blocklda.support.arrays import Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import not_allowed

__all__ = ["checked_documents"]


def checked_documents(docs: Any, n_docs: int) -> Ints:
    """Return the documents in the order in which they were given, or say which one is not there."""
    if isinstance(docs, str | bytes) or not isinstance(docs, Iterable):
        raise not_allowed("docs", docs, "a list of document numbers, such as [0, 5]")
    numbers = [whole_number(f"docs[{i}]", d, 0, n_docs - 1) for i, d in enumerate(docs)]
    return np.array(numbers, dtype=np.int64)
