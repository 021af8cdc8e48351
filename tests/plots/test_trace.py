"""Traces show every sweep, and what came after the burn-in fills the height."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import plots
from tests.plots.drawn import svg
from tests.summaries.models import small_lda


def test_every_chain_is_a_line(lda: blocklda.LDA) -> None:
    ax = plots.trace(lda)
    assert [line.get_label() for line in ax.lines] == ["chain 0", "chain 1"]
    for line, values in zip(ax.lines, lda.log_posterior_, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 41))
        np.testing.assert_array_equal(line.get_ydata(), values)
    assert len({line.get_marker() for line in ax.lines}) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["chain 0", "chain 1"]


def test_the_height_is_that_of_what_was_kept(lda: blocklda.LDA) -> None:
    ax = plots.trace(lda)
    kept = lda.log_posterior_[:, 20:]
    low, high = ax.get_ylim()
    assert kept.min() - 0.1 * np.ptp(kept) <= low < kept.min()
    assert kept.max() < high <= kept.max() + 0.1 * np.ptp(kept)
    (shade,) = ax.patches
    assert (shade.get_x(), shade.get_width()) == (0, 20.5)
    assert [text.get_text() for text in ax.texts] == ["burn-in"]
    svg(ax)


def test_without_burn_in_nothing_is_shaded() -> None:
    ax = plots.trace(small_lda(n_chains=1, burn_in=0))
    assert len(ax.patches) == 0
    assert len(ax.texts) == 0
    assert ax.get_legend() is None


def test_a_chain_that_stands_still(one_topic: blocklda.LDA) -> None:
    low, high = plots.trace(one_topic).get_ylim()
    assert high - low == pytest.approx(2)


def test_an_interrupted_chain_ends_where_it_was(
    lda: blocklda.LDA, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = lda.log_posterior_.copy()
    levels[1, 30:] = np.nan
    monkeypatch.setattr(lda, "log_posterior_", levels)
    ax = plots.trace(lda)
    assert np.isfinite(ax.get_ylim()).all()
    svg(ax)


def test_on_a_dark_page_the_black_line_is_as_light_as_the_letters(lda: blocklda.LDA) -> None:
    import matplotlib as mpl  # noqa: PLC0415

    assert mpl.colors.to_hex(plots.trace(lda).lines[0].get_color()) == "#000000"
    with mpl.rc_context({"axes.facecolor": "black", "axes.labelcolor": "white"}):
        ax = plots.trace(lda)
    assert [mpl.colors.to_hex(line.get_color()) for line in ax.lines] == ["#ffffff", "#d55e00"]
