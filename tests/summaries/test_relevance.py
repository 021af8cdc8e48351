"""Relevance: the formula, its two ends, and words that are not there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.summaries.relevance import largest, most_relevant, relevance
from blocklda.support.errors import InputError

PHI = np.array([[0.5, 0.3, 0.2, 0.0], [0.1, 0.1, 0.7, 0.1]])
COUNTS = np.array([60, 10, 30, 0])


def test_the_formula():
    found = relevance(PHI, COUNTS, 0.6)
    for k in range(2):
        for v in range(3):
            lift = PHI[k, v] / (COUNTS[v] / 100)
            expected = 0.6 * math.log(PHI[k, v]) + 0.4 * math.log(lift)
            assert found[k, v] == pytest.approx(expected)


def test_what_the_topic_or_the_corpus_does_not_have_comes_last():
    for weight in (0, 0.6, 1):
        assert (relevance(PHI, COUNTS, weight)[:, 3] == -np.inf).all()


def test_its_ends_are_probability_and_lift():
    by_probability, _ = most_relevant(PHI, COUNTS, 3, weight=1)
    assert by_probability.tolist() == [[0, 1, 2], [2, 0, 1]]
    by_lift, levels = most_relevant(PHI, COUNTS, 3, weight=0)
    # Lifts: 0.83, 3, 0.67 and 0.17, 1, 2.33.
    assert by_lift.tolist() == [[1, 0, 2], [2, 1, 0]]
    np.testing.assert_allclose(np.exp(levels[0]), [3, 0.5 / 0.6, 0.2 / 0.3])


@pytest.mark.parametrize("weight", [-0.1, 1.1, math.nan, "much", None])
def test_other_weights_are_refused(weight):
    with pytest.raises(InputError, match=r"weight=.* is not allowed"):
        relevance(PHI, COUNTS, weight)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=30), st.integers(0, 35))
def test_the_largest_come_as_a_stable_sort_puts_them(numbers, n):
    values = np.array(numbers, dtype=np.float64)
    expected = np.argsort(-values, kind="stable")[:n]
    assert largest(values, n).tolist() == expected.tolist()
