"""Samplers side by side: log posterior or perplexity, against sweeps or seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from blocklda.evaluate.compare_result import X_LABELS, Y_LABELS, curves, lowest_shown
from blocklda.plots.style import (
    LABEL_SIZE,
    PANEL_INCHES,
    line_style,
    new_panel,
    require_matplotlib,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from blocklda.evaluate.compare_result import Comparison

__all__ = ["comparison_figure", "sampler_comparison"]

MARKS = 10
"""Approximate number of marks on a line."""

FEWEST_FOR_BANDS = 4
"""Starts from which on quartiles say more than the lines of the starts themselves."""

SHOWN_RUNS = 0.9
"""The share of a sampler's runs that are shown to their ends."""


def sampler_comparison(
    comparison: Comparison, x: str = "sweeps", y: str = "log_posterior", ax: Axes | None = None
) -> Axes:
    """Draw the progress of samplers: starts as faint lines, medians, and quartiles as bands.

    Parameters
    ----------
    comparison
        The result of :func:`blocklda.evaluate.compare_samplers`.
    x
        "sweeps" or "seconds". The median at a sweep is drawn at the median of its seconds.
    y
        "log_posterior" or "perplexity".
    ax
        Axes to draw on; by default a new figure is created (``ax.figure`` of the result).

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> comparison = blocklda.evaluate.compare_samplers(
    ...     corpus, ["single-site", "nested"], n_topics=6, n_sweeps=20, n_starts=2
    ... )
    >>> axes = plots.sampler_comparison(comparison, y="perplexity")
    """
    xs, ys = curves(comparison, x, y)
    ax = new_panel(ax)
    for s, name in enumerate(comparison.samplers):
        colour, line, mark = line_style(ax, s)
        for start_x, start_y in zip(xs[s], ys[s], strict=True):
            ax.plot(start_x, start_y, color=colour, lw=0.5, alpha=0.35)
        middle = np.median(xs[s], axis=0), np.median(ys[s], axis=0)
        if len(ys[s]) >= FEWEST_FOR_BANDS:
            low, high = np.quantile(ys[s], [0.25, 0.75], axis=0)
            ax.fill_between(middle[0], low, high, color=colour, alpha=0.15, lw=0)
        every = max(1, len(middle[0]) // MARKS)
        ax.plot(
            *middle, color=colour, ls=line, lw=1.4, marker=mark, ms=3, markevery=every, label=name
        )
    ax.set_xlabel(X_LABELS[x])
    ax.set_ylabel(Y_LABELS[y])
    # A run that the machine held up for long must not squeeze all others to the left.
    ax.set_xlim(0, 1.02 * np.quantile(xs[:, :, -1], SHOWN_RUNS, axis=1).max())
    if y == "log_posterior":
        low, high = lowest_shown(ys), float(ys.max())
        margin = 0.03 * (high - low) or 1.0
        ax.set_ylim(low - margin, high + margin)
    ax.yaxis.set_major_formatter("{x:,g}" if y == "perplexity" else "{x:,.0f}")
    tidy(ax)
    return ax


def comparison_figure(comparison: Comparison) -> Figure:
    """Return a figure of four panels: both measures, against sweeps and against seconds.

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> comparison = blocklda.evaluate.compare_samplers(
    ...     corpus, ["single-site", "nested"], n_topics=6, n_sweeps=20, n_starts=2
    ... )
    >>> figure = plots.comparison_figure(comparison)
    """
    width, height = PANEL_INCHES
    figure: Figure = require_matplotlib().Figure((2 * width, 2 * height), layout="constrained")
    panels = figure.subplots(len(Y_LABELS), len(X_LABELS), sharey="row")
    for row, y in zip(panels, Y_LABELS, strict=True):
        for ax, x in zip(row, X_LABELS, strict=True):
            sampler_comparison(comparison, x, y, ax)
        row[1].set_ylabel("")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=LABEL_SIZE
    )
    return figure
