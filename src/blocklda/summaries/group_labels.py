"""Groups of documents: what a user gives of each document, made into a few named groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.data.text_values import is_missing
from blocklda.summaries.group_dates import as_dates, periods
from blocklda.summaries.group_numbers import as_numbers, bins
from blocklda.support.arrays import Ints
from blocklda.support.errors import InputError

__all__ = ["MOST_GROUPS", "DocGroups", "group_documents"]

MOST_GROUPS = 40
"""More groups than this cannot be read or distinguished in a figure."""

MISSING = "(none)"
OTHERS = "others"


@dataclass(frozen=True, eq=False)
class DocGroups:
    """Documents in groups, in the order in which they are to be shown.

    Attributes
    ----------
    kind
        "date", "number" or "category".
    labels
        The names of the groups, all different.
    starts
        For dates the first day of each group's period, as ISO writes it; None for the group of
        documents without a date. None for other kinds.
    middles
        For numbers the number of each group, or the middle of its bin, NaN for documents without
        one. None for other kinds.
    of_doc
        The group of each document, shape (documents,).
    """

    kind: str
    labels: tuple[str, ...]
    starts: tuple[str | None, ...] | None
    middles: tuple[float, ...] | None
    of_doc: Ints


def group_documents(groups: Any, n_docs: int) -> DocGroups:
    """Put documents into at most 40 groups by what is given of each.

    ``groups`` is a list, an array or a pandas Series with one value for each document.

    - Dates (datetime, date, NumPy's and pandas's, or strings that ISO 8601 would write, if all of
      them are) go into days, months, quarters, years, decades or centuries: the finest period that
      gives at most 40 groups and that all dates tell.
    - Numbers, and strings that are all numbers, are ordered by value; more than 40 different ones
      go into bins of equal width.
    - All others are categories, the one with most documents first, ties by name; from the
      40th on they are "others".

    Documents with None, NaN, NaT or an empty string are the last group, "(none)", which is not
    counted above.
    """
    values = _listed(groups, n_docs)
    known = np.array([not _is_missing(value) for value in values], dtype=bool)
    given = [value for value, is_known in zip(values, known, strict=True) if is_known]
    kind, labels, starts, middles, of_given = _groups(given)
    of_doc = np.full(n_docs, len(labels), dtype=np.int64)
    of_doc[known] = of_given
    if not known.all():
        labels = [*labels, _unused(MISSING, labels)]
        starts = None if starts is None else [*starts, None]
        middles = None if middles is None else [*middles, np.nan]
    return DocGroups(
        kind=kind,
        labels=tuple(labels),
        starts=None if starts is None else tuple(starts),
        middles=None if middles is None else tuple(middles),
        of_doc=of_doc,
    )


def _groups(
    given: list[Any],
) -> tuple[str, list[str], list[str | None] | None, list[float] | None, Ints]:
    """Return kind, labels, starts, middles, and the group of each value."""
    dates = as_dates(given)
    if dates is not None:
        labels, starts, of_given = periods(dates, MOST_GROUPS)
        return "date", labels, list(starts), None, of_given
    numbers = as_numbers(given)
    if numbers is not None:
        labels, middles, of_given = bins(numbers, MOST_GROUPS)
        return "number", labels, None, middles, of_given
    labels, of_given = _categories([str(value) for value in given])
    return "category", labels, None, None, of_given


def _categories(names: list[str]) -> tuple[list[str], Ints]:
    sizes = Counter(names)
    labels = sorted(sizes, key=lambda name: (-sizes[name], name))
    if len(labels) > MOST_GROUPS:
        labels = labels[: MOST_GROUPS - 1]
        labels.append(_unused(OTHERS, sizes))
    places = {name: place for place, name in enumerate(labels)}
    last = len(labels) - 1
    return labels, np.array([places.get(name, last) for name in names], dtype=np.int64)


def _listed(groups: Any, n_docs: int) -> list[Any]:
    is_unordered = isinstance(groups, str | bytes | Mapping | AbstractSet)
    if is_unordered or not isinstance(groups, Iterable):
        raise InputError.of(
            "{groups=} is a {kind}: [give <one value for each document, such as a list or a column "
            "of a data frame>]."
        ).where(groups=groups, kind=type(groups).__name__)
    values = list(groups)
    if len(values) != n_docs:
        raise InputError(
            f"groups has {len(values)} values, but there are {n_docs} documents: give one value "
            "for each document, in the same order, and None for a missing value.",
            parameter="groups",
            value=groups,
        )
    for row, value in enumerate(values):
        if not isinstance(value, Hashable):
            raise InputError.of(
                "groups[[{row}]]={found!r:.80} is a {kind}: [give <a date, a number or a name for "
                "each document>]."
            ).where(
                row=row, found=value, kind=type(value).__name__, parameter="groups", value=groups
            )
    return values


def _is_missing(value: Any) -> bool:
    return not value.strip() if isinstance(value, str) else is_missing(value)


def _unused(label: str, taken: Iterable[str]) -> str:
    """Return the label, in brackets if a group has it already."""
    others = set(taken)
    while label in others:
        label = f"({label})"
    return label
