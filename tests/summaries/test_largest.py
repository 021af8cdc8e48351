"""The largest numbers are those that a stable sort would put first."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.summaries.largest import largest


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=30), st.integers(0, 35))
def test_as_a_stable_sort(numbers, n):
    values = np.array(numbers, dtype=np.float64)
    expected = np.argsort(-values, kind="stable")[:n]
    assert largest(values, n).tolist() == expected.tolist()
