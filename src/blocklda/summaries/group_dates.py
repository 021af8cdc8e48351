"""Dates in periods: days, months, quarters, years, decades or centuries."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocklda.support.arrays import Ints

__all__ = ["Dates", "as_dates", "periods"]

Days = NDArray[np.datetime64]


class Dates(NamedTuple):
    """Days, and the place in PERIODS of the finest period that every one of them tells."""

    days: Days
    finest: int


def _first_days(months: int) -> Callable[[Days], Days]:
    """Return a function from days to the first day of their periods of some months."""

    def first_days(days: Days) -> Days:
        # Months are counted from that of the year 0, so that centuries begin where years end in 00.
        number = days.astype("datetime64[M]").astype(np.int64) + 12 * 1970
        starts: Days = (number // months * months - 12 * 1970).astype("datetime64[M]")
        return starts.astype("datetime64[D]")

    return first_days


def _year(start: np.datetime64) -> int:
    return int(start.astype("datetime64[Y]").astype(np.int64)) + 1970


def _quarter(start: np.datetime64) -> str:
    month = int(start.astype("datetime64[M]").astype(np.int64)) % 12
    return f"{_year(start)} Q{month // 3 + 1}"


PERIODS: tuple[tuple[Callable[[Days], Days], Callable[[np.datetime64], str]], ...] = (
    (lambda days: days, str),
    (_first_days(1), lambda start: str(start.astype("datetime64[M]"))),
    (_first_days(3), _quarter),
    (_first_days(12), lambda start: str(_year(start))),
    (_first_days(120), lambda start: f"{_year(start)}s"),
    (_first_days(1200), lambda start: f"{_year(start)} to {_year(start) + 99}"),
)
"""From fine to coarse: where the period of a day begins, and what it is called."""

DAY, MONTH, QUARTER, YEAR = range(4)
"""Places in PERIODS that a date can be exact to."""

ISO_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?)?")


def as_dates(values: Sequence[Any]) -> Dates | None:
    """Return the values as dates if there are some and all of them are, else None."""
    known: dict[Any, tuple[np.datetime64, int]] = {}
    for value in values:
        if value not in known:
            found = _date(value)
            if found is None:
                return None
            known[value] = found
    if not known:
        return None
    days = np.array([known[value][0] for value in values], dtype="datetime64[D]")
    return Dates(days, max(exact_to for _, exact_to in known.values()))


def periods(dates: Dates, most: int) -> tuple[list[str], list[str], Ints]:
    """Return labels and first days of the finest periods of which there are at most ``most``.

    Periods without a date are left out. The third array has the period of each date.
    """
    first_days, label = next(
        (
            period
            for period in PERIODS[dates.finest :]
            if len(np.unique(period[0](dates.days))) <= most
        ),
        PERIODS[-1],
    )
    starts, of_date = np.unique(first_days(dates.days), return_inverse=True)
    return [label(start) for start in starts], [str(start) for start in starts], of_date


def _date(value: Any) -> tuple[np.datetime64, int] | None:
    """Return a day, the first one that the value may mean, and how exact it is; None if no date."""
    if isinstance(value, np.datetime64):
        unit, _ = np.datetime_data(value.dtype)
        return value.astype("datetime64[D]"), {"Y": YEAR, "M": MONTH}.get(unit, DAY)
    if isinstance(value, date):  # datetime and pandas's Timestamp are dates too
        return np.datetime64(value.isoformat()[:10]), DAY
    if hasattr(value, "start_time") and hasattr(value, "freqstr"):  # pandas's Period
        exact_to = {"Y": YEAR, "A": YEAR, "Q": QUARTER, "M": MONTH}.get(value.freqstr[:1], DAY)
        return np.datetime64(value.start_time.date().isoformat()), exact_to
    return _written_date(value.strip()) if isinstance(value, str) else None


def _written_date(text: str) -> tuple[np.datetime64, int] | None:
    """Return the same of a date as ISO 8601 writes it."""
    parts = ISO_DATE.fullmatch(text)
    if parts is None:
        return None
    try:
        datetime.fromisoformat(text if parts[2] else (text + "-01-01")[:10])
    except ValueError:
        return None
    return np.datetime64(text[:10]).astype("datetime64[D]"), (
        DAY if parts[2] else MONTH if parts[1] else YEAR
    )
