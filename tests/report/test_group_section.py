"""Groups on a page: their shares, and where they lie."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from tests.report.page_models import contents


def test_groups_by_topic(two_chains):
    groups = ["left", "right"] * 20
    page = contents(two_chains, groups=groups, group_name="side")["groups"]
    assert page["name"] == "side"
    assert page["labels"] == ["left", "right"]
    assert np.shape(page["mean"]) == (6, 2)
    np.testing.assert_allclose(np.sum(page["mean"], axis=0), 1, atol=2e-3)


@pytest.mark.parametrize(
    ("groups", "kind", "places"),
    [
        (["b", "a"], "category", None),
        (["2020", "2023-05-01"], "date", ["2020-01-01", "2023-01-01"]),
        (["2020-02", None], "date", ["2020-02-01", None]),
        ([1990, 2005.5], "number", [1990, 2005.5]),
        ([None, 1_700_000_001], "number", [1_700_000_001, None]),
    ],
)
def test_dates_and_numbers_have_places_on_their_axis(two_chains, groups, kind, places):
    page = contents(two_chains, groups=groups * 20)["groups"]
    assert page["kind"] == kind
    assert page["places"] == places


def test_groups_without_tokens_are_told():
    model = blocklda.LDA(2, n_sweeps=8, random_state=0, progress=False)
    with pytest.warns(UserWarning, match="empty"):
        model.fit(np.array([[1, 2], [0, 0], [2, 1]]))
    page = contents(model, groups=["a", "b", "a"])["groups"]
    assert (page["labels"], page["empty"]) == (["a"], ["b"])
