"""A search over K: every chain, means, two standard errors, and no verdict."""

from __future__ import annotations

import numpy as np
import pytest

from blocklda import InputError, plots, simulate
from blocklda.evaluate import search_n_topics
from blocklda.evaluate.search_result import KSearch
from blocklda.plots.search_n_topics import MEASURES
from tests.plots.drawn import svg, tick_names

CORPUS = simulate.bars(n_docs=24, side=3, seed=0).corpus
QUICK = {"n_words": 3, "n_sweeps": 10, "burn_in": 5, "thin": 1, "random_state": 0}


@pytest.fixture(scope="module")
def found() -> KSearch:
    return search_n_topics(CORPUS, [2, 4, 6], n_chains=3, **QUICK)


@pytest.mark.parametrize("measure", ["heldout", "npmi", "umass", "diversity", "exclusivity"])
def test_chains_means_and_errors(found: KSearch, measure: str) -> None:
    ax = plots.search_n_topics(found, measure)
    parts = [getattr(row, measure) for row in found.rows]
    (bars,) = ax.containers
    line, _, (whiskers,) = bars
    np.testing.assert_array_equal(line.get_xdata(), [2, 4, 6])
    np.testing.assert_allclose(line.get_ydata(), [part.mean for part in parts])
    for part, whisker in zip(parts, whiskers.get_segments(), strict=True):
        expected = [part.mean - 2 * part.se, part.mean + 2 * part.se]
        np.testing.assert_allclose(whisker[:, 1], expected)
    dots = [line for line in ax.lines if line.get_color() == "0.6"]
    np.testing.assert_allclose([dot.get_ydata() for dot in dots], [part.values for part in parts])
    low, high = ax.get_ylim()
    assert all(low <= value <= high for part in parts for value in part.values)
    assert ax.get_ylabel() == MEASURES[measure]
    assert tick_names(ax.xaxis) == ["2", "4", "6"]


def test_differences_and_overlaps(found: KSearch) -> None:
    (bars,) = plots.search_n_topics(found, "to_best").containers
    np.testing.assert_allclose(bars[0].get_ydata(), [row.to_best.mean for row in found.rows])
    (bars,) = plots.search_n_topics(found, "stability").containers
    np.testing.assert_allclose(bars[0].get_ydata(), [row.stability for row in found.rows])


def test_the_figure_has_six_panels(found: KSearch) -> None:
    figure = plots.search_figure(found)
    labels = [ax.get_ylabel() for ax in figure.axes]
    shown = ("heldout", "to_best", "npmi", "exclusivity", "diversity", "stability")
    assert labels == [MEASURES[measure] for measure in shown]
    assert "optimal" not in svg(figure)


def test_one_chain_has_no_errors_and_no_overlap() -> None:
    found = search_n_topics(CORPUS, [3, 40], n_chains=1, **QUICK)
    ax = plots.search_n_topics(found, "stability")
    assert [text.get_text() for text in ax.texts] == ["needs two chains"]
    assert plots.search_n_topics(found).get_xscale() == "log"
    svg(plots.search_figure(found))


def test_an_unknown_measure_is_named(found: KSearch) -> None:
    with pytest.raises(InputError, match="measure='beauty' is unknown: choose one of 'heldout'"):
        plots.search_n_topics(found, "beauty")
