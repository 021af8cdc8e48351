"""Groups of documents, whatever is given of each, and the topics' shares in them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.results.result import FitResult
from blocklda.summaries.group_labels import group_documents
from blocklda.summaries.group_prevalence import group_prevalence
from blocklda.support.errors import InputError
from tests.summaries.models import aligned_counts, renumbered, without_draws


def grouped(values: object) -> tuple[str, list[str], list[int]]:
    found = group_documents(values, len(values))
    return found.kind, list(found.labels), found.of_doc.tolist()


DAYS = ["2024-05-17", "2023-01-02", "2024-05-17"]


@pytest.mark.parametrize(
    "values",
    [
        DAYS,
        tuple(DAYS),
        np.array(DAYS),
        np.array(DAYS, dtype=object),
        np.array(DAYS, dtype="datetime64[D]"),
        np.array(DAYS, dtype="datetime64[ns]"),
        [np.datetime64(day) for day in DAYS],
        [date.fromisoformat(day) for day in DAYS],
        [datetime.fromisoformat(f"{day}T23:59") for day in DAYS],
        [datetime.fromisoformat(f"{day}T23:59").replace(tzinfo=UTC) for day in DAYS],
        [f"{day}T10:00" for day in DAYS],
        [f"{day} 10:00:30.5+02:00" for day in DAYS],
        pd.Series(DAYS),
        pd.Series(pd.to_datetime(DAYS)),
        pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("UTC"),
        pd.Series(DAYS, dtype="category"),
        pd.Series(pd.to_datetime(DAYS)).dt.to_period("D"),
    ],
    ids=lambda values: f"{type(values).__name__} of {type(values[0]).__name__}",
)
def test_dates_of_every_type(values: object) -> None:
    assert grouped(values) == ("date", ["2023-01-02", "2024-05-17"], [1, 0, 1])
    assert group_documents(values, 3).starts == ("2023-01-02", "2024-05-17")


@pytest.mark.parametrize(
    ("values", "labels", "starts"),
    [
        (["2024", "2023"], ["2023", "2024"], ["2023-01-01", "2024-01-01"]),
        (["2024-05", "2023-11"], ["2023-11", "2024-05"], ["2023-11-01", "2024-05-01"]),
        # What is exact to the year only has no month.
        (["2024-05-01", "2023"], ["2023", "2024"], ["2023-01-01", "2024-01-01"]),
        (np.array(["2024", "2023"], "datetime64[Y]"), ["2023", "2024"], None),
        (np.array(["2024-02", "2023-05"], "datetime64[M]"), ["2023-05", "2024-02"], None),
        ([date(900, 1, 2), date(1, 1, 1)], ["0001-01-01", "0900-01-02"], None),
    ],
)
def test_dates_are_no_finer_than_given(
    values: object, labels: list[str], starts: list[str] | None
) -> None:
    found = group_documents(values, 2)
    assert list(found.labels) == labels
    assert found.of_doc.tolist() == [1, 0]
    if starts is not None:
        assert list(found.starts) == starts


@pytest.mark.parametrize(
    ("period", "labels"),
    [("M", ["2024-04", "2024-05"]), ("Q", ["2024 Q2"]), ("Y", ["2024"])],
)
def test_periods_of_pandas_are_dates(period: str, labels: list[str]) -> None:
    given = pd.Series(pd.to_datetime(["2024-05-17", "2024-04-02"])).dt.to_period(period)
    found = group_documents(given, 2)
    assert found.kind == "date"
    assert list(found.labels) == labels


@pytest.mark.parametrize(
    ("step", "n", "first_labels", "first_starts"),
    [
        (1, 40, ["2019-12-30", "2019-12-31", "2020-01-01"], ["2019-12-30", "2019-12-31"]),
        (1, 41, ["2019-12", "2020-01", "2020-02"], ["2019-12-01", "2020-01-01"]),
        (31, 41, ["2019 Q4", "2020 Q1", "2020 Q2"], ["2019-10-01", "2020-01-01"]),
        (92, 60, ["2019", "2020", "2021"], ["2019-01-01", "2020-01-01"]),
        (366, 60, ["2010s", "2020s", "2030s"], ["2010-01-01", "2020-01-01"]),
        (3660, 60, ["2000 to 2099", "2100 to 2199"], ["2000-01-01", "2100-01-01"]),
    ],
    ids=["days", "months", "quarters", "years", "decades", "centuries"],
)
def test_the_finest_period_that_gives_few_groups(
    step: int, n: int, first_labels: list[str], first_starts: list[str]
) -> None:
    days = [date(2019, 12, 30) + timedelta(days=step * i) for i in range(n)]
    found = group_documents(days, n)
    assert found.kind == "date"
    assert list(found.labels[: len(first_labels)]) == first_labels
    assert list(found.starts[: len(first_starts)]) == first_starts
    assert len(found.labels) <= 40
    assert found.of_doc.tolist() == sorted(found.of_doc)
    for day, group in zip(days, found.of_doc, strict=True):
        assert date.fromisoformat(found.starts[group]) <= day
        if group + 1 < len(found.starts):
            assert day < date.fromisoformat(found.starts[group + 1])


@pytest.mark.parametrize(
    "values",
    [
        ["2024", "spring"],
        ["2024-13", "2024-01"],
        ["2024-02-30", "2024-02-01"],
        ["0000", "2024"],
        ["20240517x", "2024"],
        ["2024-05-17T25:00", "2024"],
    ],
)
def test_one_that_is_no_date_makes_all_names(values: list[str]) -> None:
    assert grouped(values)[1] == sorted(values) or grouped(values)[0] == "number"


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([10, 9, 10], ["9", "10"]),
        ([1.5, -2, 1.5], ["-2", "1.5"]),
        (np.array([3, 1, 3], dtype=np.uint8), ["1", "3"]),
        (np.array([0.1, 0.05, 0.1], dtype=np.float32), ["0.05", "0.1"]),
        (["10", "9", "10"], ["9", "10"]),
        (["1e3", "-2.50", "1000"], ["-2.5", "1000"]),
        ([Decimal("2.5"), 1, 2.5], ["1", "2.5"]),
        (pd.Series([2, 1, 2], dtype="Int64"), ["1", "2"]),
        ([0.1 + 0.2, 0.3 - 1e-12, 0.1 + 0.2], ["0.299999999999", "0.3"]),
        ([1234567, 123456, 1234567], ["123456", "1234567"]),
    ],
)
def test_numbers_are_in_their_order(values: object, labels: list[str]) -> None:
    assert grouped(values) == ("number", labels, [1, 0, 1])


@pytest.mark.parametrize(
    ("values", "labels", "middle"),
    [
        (range(100), ["0 to 4", "5 to 9", "10 to 14"], 2),
        (range(-100, 1900), ["-100 to -1", "0 to 99"], -50.5),
        (np.arange(100) / 100, ["0 to 0.05", "0.05 to 0.1", "0.1 to 0.15"], 0.025),
        (1e-300 * np.arange(100), ["0 to 5e-300", "5e-300 to 1e-299"], 2.5e-300),
        (1e6 + np.arange(50) / 1e5, ["1000000 to 1000000.00005"], 1000000.000025),
        (2 * np.linspace(-5e307, 5e307, 50), ["-1e+308 to -9e+307"], -9.5e307),
    ],
)
def test_many_numbers_go_into_bins(values: object, labels: list[str], middle: float) -> None:
    found = group_documents(values, len(values))
    assert found.kind == "number"
    assert list(found.labels[: len(labels)]) == labels
    assert found.middles[0] == pytest.approx(middle, rel=1e-12)
    assert 10 <= len(found.labels) <= 21
    assert len(set(found.labels)) == len(found.labels)


def test_names_are_ordered_by_size_then_name() -> None:
    assert grouped(["b", "c", "a", "c"]) == ("category", ["c", "a", "b"], [2, 0, 1, 0])
    assert grouped([True, False, True])[:2] == ("category", ["True", "False"])
    assert grouped(["007", "008"])[:2] == ("category", ["007", "008"])
    assert grouped([1, "one"])[:2] == ("category", ["1", "one"])


def test_the_smallest_of_many_names_are_others() -> None:
    names = [f"{i:02}x" for i in range(50) for _ in range(60 - i)]
    _, labels, of_doc = grouped(names)
    assert labels == [*(f"{i:02}x" for i in range(39)), "others"]
    assert of_doc.count(39) == sum(60 - i for i in range(39, 50))
    assert grouped([*names, "others"])[1][-1] == "(others)"
    assert len(grouped(names[:-11])[1]) == 40


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NaT, pd.NA, "", "  "])
@pytest.mark.parametrize(
    ("values", "kind"), [(DAYS, "date"), ([1, 2], "number"), (["a", "b"], "category")]
)
def test_missing_values_are_the_last_group(missing: object, values: list, kind: str) -> None:
    found = group_documents([missing, *values, missing], len(values) + 2)
    assert found.kind == kind
    assert found.labels == (*group_documents(values, len(values)).labels, "(none)")
    assert found.of_doc[[0, -1]].tolist() == [2, 2]
    assert found.starts is None or found.starts[-1] is None
    assert found.middles is None or np.isnan(found.middles[-1])


def test_missing_values_clash_with_no_name() -> None:
    assert grouped(["(none)", None]) == ("category", ["(none)", "((none))"], [0, 1])
    assert grouped([None, None]) == ("category", ["(none)"], [0, 0])
    assert grouped(np.array(["NaT", "2024-01-02"], "datetime64[D]"))[2] == [1, 0]


@given(
    st.lists(
        st.one_of(
            st.none(),
            st.text(max_size=3),
            st.integers(),
            st.floats(allow_infinity=False),
            st.booleans(),
            st.dates(),
            st.datetimes(),
        ),
        max_size=60,
    )
)
@settings(derandomize=True, deadline=None)
def test_whatever_is_given_has_a_group(values: list) -> None:
    if any(isinstance(value, int) and abs(value) > 10**300 for value in values):
        return
    found = group_documents(values, len(values))
    assert len(set(found.labels)) == len(found.labels) <= 41
    assert found.of_doc.shape == (len(values),)
    assert set(found.of_doc.tolist()) == set(range(len(found.labels)))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["a"], r"groups has 1 values, but there are 3 documents: give one value for each"),
        ("abc", r"groups='abc' is a str: give one value for each document"),
        ({"a": 1}, r"is a dict: give one value"),
        (5, r"groups=5 is a int: give one value"),
        ([1.0, float("inf"), 2.0], r"groups has the number inf"),
        ([1, 10**400, 2], r"groups has the number 1000"),
        ([[1], [2], [3]], r"groups\[0\]=\[1\] is a list: give a date, a number or a name"),
    ],
)
def test_what_cannot_be_grouped_is_refused(values: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        group_documents(values, 3)


GROUPS = ["b", "a", "a"] * 10


def test_shares_are_those_of_the_tokens(model: FitResult) -> None:
    tables = aligned_counts(model)
    for other in (model, renumbered(model)):
        found = group_prevalence(other, GROUPS, interval=0.8)
        assert (found.kind, found.labels, found.empty) == ("category", ("a", "b"), ())
        assert found.n_docs.tolist() == [20, 10]
        for g, name in enumerate("ab"):
            docs = [d for d in range(30) if GROUPS[d] == name]
            counts = np.array([table[docs].sum(axis=(0, 1)) for table in tables])
            shares = counts / counts.sum(axis=1, keepdims=True)
            assert found.n_tokens[g] == counts[0].sum()
            np.testing.assert_allclose(found.prevalence.mean[g], shares.mean(axis=0), rtol=1e-12)
            low, high = np.quantile(shares, [0.1, 0.9], axis=0)
            np.testing.assert_allclose(found.prevalence.low[g], low, rtol=1e-12)
            np.testing.assert_allclose(found.prevalence.high[g], high, rtol=1e-12)


def test_pieces_change_nothing(model: FitResult, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = group_prevalence(model, GROUPS)
    monkeypatch.setattr("blocklda.summaries.group_prevalence.TOKENS_AT_ONCE", 7)
    np.testing.assert_array_equal(
        group_prevalence(model, GROUPS).prevalence.mean, expected.prevalence.mean
    )


def test_groups_without_tokens_are_named_and_left_out(model: FitResult) -> None:
    years = ["2020"] * 30
    years[7] = "2021"  # the empty document
    years[8] = None
    found = group_prevalence(model, years)
    assert (found.labels, found.starts) == (("2020", "(none)"), ("2020-01-01", None))
    assert found.empty == ("2021",)
    assert found.n_docs.tolist() == [28, 1]
    assert found.prevalence.mean.shape == (2, 6)
    np.testing.assert_allclose(found.prevalence.mean.sum(axis=1), 1)
    numbers = group_prevalence(model, [*range(7), None, *range(8, 30)])
    assert numbers.empty == ("(none)",)
    assert numbers.middles == tuple(float(i) for i in range(30) if i != 7)


def test_draws_and_intervals_are_needed(model: FitResult) -> None:
    with pytest.raises(InputError, match="group_prevalence needs draws"):
        group_prevalence(without_draws(model), GROUPS)
    with pytest.raises(InputError, match="interval=0 is not allowed"):
        group_prevalence(model, GROUPS, interval=0)
