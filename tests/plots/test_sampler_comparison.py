"""Figures of a comparison: what is drawn, and what is left behind."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from blocklda import InputError, plots, simulate
from blocklda.evaluate import Comparison, compare_samplers
from blocklda.plots.saving import check_figure_path
from blocklda.support.extras import install_command


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    corpus = simulate.bars(n_docs=16, seed=0).corpus
    return compare_samplers(corpus, ["nested", "sparse"], 4, n_sweeps=6, n_starts=3, window=2)


@pytest.mark.parametrize("x", ["sweeps", "seconds"])
@pytest.mark.parametrize("y", ["log_posterior", "perplexity"])
def test_starts_are_faint_and_the_line_is_their_median(
    comparison: Comparison, x: str, y: str
) -> None:
    axes = plots.sampler_comparison(comparison, x, y)
    named = {line.get_label(): line for line in axes.lines if line.get_label()[0] != "_"}
    assert list(named) == ["nested", "sparse"]
    faint = [line for line in axes.lines if line.get_alpha() is not None]
    assert len(faint) == 6
    ends = comparison.window_ends if y == "perplexity" else np.arange(1, 7)
    values = getattr(comparison, y)[..., -len(ends) :]
    np.testing.assert_array_equal(faint[4].get_ydata(), values[1, 1])
    np.testing.assert_array_equal(named["sparse"].get_ydata(), np.median(values[1], axis=0))
    places = np.median(comparison.seconds[1][:, ends], axis=0) if x == "seconds" else ends
    np.testing.assert_array_equal(named["sparse"].get_xdata(), places)
    assert axes.get_xlabel().startswith(x)
    assert axes.get_ylabel() in ("log posterior", "held-out perplexity")


def test_samplers_differ_by_colour_line_and_mark(comparison: Comparison) -> None:
    lines = [
        line for line in plots.sampler_comparison(comparison).lines if line.get_label()[0] != "_"
    ]
    for look in ("get_color", "get_linestyle", "get_marker"):
        assert len({getattr(line, look)() for line in lines}) == 2


def test_given_axes_are_drawn_on(comparison: Comparison) -> None:
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure()
    axes = figure.subplots()
    assert plots.sampler_comparison(comparison, ax=axes) is axes
    assert len(axes.lines) == 8


def test_the_figure_has_four_panels_and_one_legend(comparison: Comparison) -> None:
    figure = plots.comparison_figure(comparison)
    labels = [(axes.get_xlabel(), axes.get_ylabel()) for axes in figure.axes]
    assert labels == [
        ("sweeps", "log posterior"),
        ("seconds within sweeps", ""),
        ("sweeps", "held-out perplexity"),
        ("seconds within sweeps", ""),
    ]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["nested", "sparse"]


def test_no_window_system_and_nothing_global(comparison: Comparison, tmp_path: Path) -> None:
    import matplotlib as mpl  # noqa: PLC0415

    before = dict(mpl.rcParams)
    plots.save_figure(plots.comparison_figure(comparison), tmp_path / "a.png")
    assert dict(mpl.rcParams) == before
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PDF", b"%PDF")]
)
def test_files_are_of_their_kind_and_repeat_to_the_byte(
    comparison: Comparison, tmp_path: Path, suffix: str, magic: bytes
) -> None:
    for name in ("one", "two"):
        plots.save_figure(plots.comparison_figure(comparison), tmp_path / f"{name}.{suffix}")
    one, two = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
    assert one.startswith(magic)
    assert one == two
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"one.{suffix}", f"two.{suffix}"]


def test_words_in_svg_are_words(comparison: Comparison, tmp_path: Path) -> None:
    plots.save_figure(plots.comparison_figure(comparison), tmp_path / "a.svg")
    assert ">nested</text>" in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("figure.jpeg", r"figure\.jpeg is not the name of a figure.* \.png, \.svg, \.pdf"),
        ("figure", "is not the name of a figure"),
        ("nowhere/a.png", "there is no folder"),
        ("folder.png", "it is not a file"),
    ],
)
def test_places_that_will_not_do_are_named(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError, match=said):
        check_figure_path(tmp_path / name)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=re.escape(install_command("plot"))):
        check_figure_path("a.png")


@pytest.mark.parametrize(("x", "y"), [("hours", "perplexity"), ("sweeps", "beauty")])
def test_unknown_axes_are_named(comparison: Comparison, x: str, y: str) -> None:
    with pytest.raises(InputError, match="is unknown: choose"):
        plots.sampler_comparison(comparison, x, y)
