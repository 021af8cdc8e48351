"""Ranks of truths among posterior draws, which are uniform if a sampler is exact."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from blocklda.plots.style import TEXT_SIZE, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from blocklda.testing.check import Report

__all__ = ["rank_histograms"]

COLUMNS = 4

BAND = 0.99
"""Counts of uniform ranks are in the shaded band with this probability."""


def rank_histograms(report: Report) -> Figure:
    """Draw a histogram of ranks for each function of each model of a report.

    The shaded band holds 99 % of the counts of uniform ranks.

    Parameters
    ----------
    report
        The result of :func:`blocklda.testing.check`.

    Examples
    --------
    >>> from blocklda import plots, testing
    >>> report = testing.check("mixture", quick=True)
    >>> figure = plots.rank_histograms(report)
    """
    panels = [
        (f"{function}\n({model})", counts)
        for model, ranks in report.ranks.items()
        for function, counts in ranks.counts().items()
    ]
    n_rows = max(1, ceil(len(panels) / COLUMNS))
    figure: Figure = require_matplotlib().Figure((8.0, 1.5 * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, COLUMNS, squeeze=False).ravel()
    for ax, (title, counts) in zip(axes, panels, strict=False):
        share = 1 / len(counts)
        low, high = stats.binom.interval(BAND, counts.sum(), share)
        ax.axhspan(low, high, color="0.5", alpha=0.2, lw=0)
        ax.bar(np.arange(len(counts)), counts, width=0.85, color="#0072b2")
        ax.set_title(title)
        ax.set_xticks([0, len(counts) - 1])
        ax.set_ylim(0, max(1.3 * high, 1.1 * counts.max()))
        tidy(ax, "y")
        ax.title.set_fontsize(TEXT_SIZE)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    figure.supxlabel("rank of the truth among posterior draws", fontsize=TEXT_SIZE)
    return figure
