"""Shares over time, over numbers and in categories."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.dates import date2num

import blocklda
from blocklda import InputError, plots
from blocklda.results.result import result_of
from blocklda.summaries.group_prevalence import group_prevalence
from tests.plots.drawn import intervals, svg, tick_names

YEARS = [str(2000 + d // 3) for d in range(30)]
NAMES = ["$a$", "b_b", "_c"] * 10


def band_at(band: object, i: int) -> tuple[float, float]:
    """Return low and high of the i-th point of a band."""
    vertices = band.get_paths()[0].vertices
    x = np.unique(vertices[:, 0])[i]
    heights = vertices[vertices[:, 0] == x, 1]
    return heights.min(), heights.max()


@pytest.mark.parametrize("kind", ["date", "number"])
def test_lines_with_bands(lda: blocklda.LDA, kind: str) -> None:
    groups = YEARS if kind == "date" else [int(year) for year in YEARS]
    ax = plots.prevalence_over_groups(lda, groups, [4, 1], interval=0.8)
    found = group_prevalence(result_of(lda), groups, 0.8)
    for line, band, k in zip(ax.lines, ax.collections, (4, 1), strict=True):
        assert line.get_label().startswith(f"{k}  ")
        np.testing.assert_array_equal(line.get_ydata(), found.prevalence.mean[:, k])
        places = date2num(np.array(found.starts, "M8[D]")) if kind == "date" else found.middles
        xs = line.get_xdata()
        np.testing.assert_array_equal(date2num(xs) if kind == "date" else xs, places)
        expected = found.prevalence.low[3, k], found.prevalence.high[3, k]
        assert band_at(band, 3) == pytest.approx(expected)
    assert ax.get_xlabel() == ""
    assert ax.get_ylim()[0] == 0
    assert len({line.get_linestyle() for line in ax.lines}) == 2
    svg(ax)


def test_categories_are_rows(lda: blocklda.LDA) -> None:
    ax = plots.prevalence_over_groups(lda, NAMES, [4, 1, 0])
    found = group_prevalence(result_of(lda), NAMES)
    assert tick_names(ax.yaxis) == list(found.labels) == ["$a$", "_c", "b_b"]
    for i, k in enumerate((4, 1, 0)):
        np.testing.assert_array_equal(ax.lines[i].get_xdata(), found.prevalence.mean[:, k])
        ends = np.stack([found.prevalence.low[:, k], found.prevalence.high[:, k]], axis=1)
        np.testing.assert_array_equal(intervals(ax.collections[i]), ends)
        rows = ax.lines[i].get_ydata()
        assert np.round(rows).tolist() == [0, 1, 2]
    assert ax.lines[0].get_ydata()[0] < ax.lines[1].get_ydata()[0] < ax.lines[2].get_ydata()[0]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    text = svg(ax)
    for name in ("$a$", "b_b", "_c"):
        assert f">{name}</text>" in text


def test_the_topics_that_vary_most_are_chosen(lda: blocklda.LDA) -> None:
    ax = plots.prevalence_over_groups(lda, NAMES, n_topics=3)
    found = group_prevalence(result_of(lda), NAMES)
    weights = found.n_tokens / found.n_tokens.sum()
    spreads = [np.cov(shares, aweights=weights, ddof=0) for shares in found.prevalence.mean.T]
    expected = np.argsort(spreads)[::-1][:3]
    assert [int(line.get_label().split()[0]) for line in ax.lines] == expected.tolist()
    assert len(plots.prevalence_over_groups(lda, YEARS, n_topics=99).lines) == 6


def test_documents_without_a_date_are_counted_not_drawn(lda: blocklda.LDA) -> None:
    groups = [None, None, *YEARS[2:]]
    ax = plots.prevalence_over_groups(lda, groups)
    assert ax.get_xlabel() == "not shown: 2 documents without a date"
    assert len(ax.lines[0].get_xdata()) == 10
    numbers = [None, *range(29)]
    ax = plots.prevalence_over_groups(lda, numbers)
    assert ax.get_xlabel() == "not shown: 1 document without a number"
    assert len(ax.lines[0].get_xdata()) == 28  # and the empty document's
    names = [None, *NAMES[1:]]
    assert "(none)" in tick_names(plots.prevalence_over_groups(lda, names).yaxis)


def test_hostile_words_are_named_as_they_are(hostile: blocklda.LDA) -> None:
    ax = plots.prevalence_over_groups(hostile, YEARS, n_topics=4)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any("$x$" in label or "a_b^c" in label for label in labels)
    assert all(len(label) <= 40 and label.isprintable() for label in labels)
    svg(ax)


def test_one_group(lda: blocklda.LDA) -> None:
    svg(plots.prevalence_over_groups(lda, ["2000-01-01"] * 30))
    svg(plots.prevalence_over_groups(lda, [None] * 30))
    svg(plots.prevalence_over_groups(lda, [7] * 30))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"groups": [1]}, "groups has 1 values, but there are 30 documents"),
        ({"groups": YEARS, "topics": [9]}, r"topics\[0\]=9 is not allowed"),
        ({"groups": YEARS, "n_topics": 0}, "n_topics=0 is not allowed"),
    ],
)
def test_wrong_settings_are_named(lda: blocklda.LDA, settings: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        plots.prevalence_over_groups(lda, **settings)
