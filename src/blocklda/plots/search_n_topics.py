"""What a search over the number of topics measured, each measure with its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from blocklda.evaluate.search_scores import OverChains
from blocklda.plots.style import (
    FAINT,
    INK,
    LABEL_SIZE,
    NOTE,
    PANEL_INCHES,
    new_panel,
    require_matplotlib,
    tidy,
)
from blocklda.support.errors import unknown_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

    from blocklda.evaluate.search_result import KRow, KSearch

__all__ = ["search_figure", "search_n_topics"]

MEASURES = {
    "heldout": "held-out log p per token",
    "to_best": "difference to best, nats",
    "npmi": "coherence (NPMI)",
    "umass": "coherence (UMass)",
    "diversity": "diversity",
    "exclusivity": "exclusivity",
    "stability": "overlap of chains' topics",
}
"""What can be drawn, and what the axis says."""

PANELS = ("heldout", "to_best", "npmi", "exclusivity", "diversity", "stability")

ERRORS = 2.0
"""Length of whiskers on either side, in standard errors."""

DOTS_BESIDE = 4.0
"""Points by which the dots of chains stand to the left of their mean."""

LOG_FROM = 4.0
"""K is on a logarithmic scale if the largest is this many times the smallest."""


def search_n_topics(found: KSearch, measure: str = "heldout", ax: Axes | None = None) -> Axes:
    """Draw a measure against the number of topics: chains, and means with two standard errors.

    No K is marked as the best: docs/how-to/choosing-k.md explains the measures.

    Parameters
    ----------
    found
        The result of :func:`blocklda.evaluate.search_n_topics`.
    measure
        "heldout", "to_best" (held-out log probability minus that of the K where it is highest,
        errors over documents and chains, documents paired), "npmi", "umass", "diversity",
        "exclusivity" or "stability" (the mean overlap of matched topics of two chains).
    ax
        Axes to draw on; by default a new figure is created (``ax.figure`` of the result).

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=4, seed=1).corpus
    >>> found = blocklda.evaluate.search_n_topics(
    ...     corpus, [3, 6], n_chains=2, n_sweeps=20, burn_in=10, random_state=0
    ... )
    >>> axes = plots.search_n_topics(found, "npmi")
    """
    if measure not in MEASURES:
        raise unknown_choice("measure", measure, MEASURES)
    ax = new_panel(ax)
    grid = [row.n_topics for row in found.rows]
    beside = ax.transData + _to_the_left(ax)
    for row in found.rows:
        chains = _chains(row, measure)
        places = [row.n_topics] * len(chains)
        ax.plot(places, chains, "o", color=FAINT, ms=2.5, mew=0, transform=beside)
        # What is shifted is not seen when the ends of the axes are chosen.
        ax.update_datalim(list(zip(places, chains, strict=True)))
    means, errors = np.array([_mean_and_error(row, measure) for row in found.rows]).T
    known = np.where(np.isfinite(errors), errors, 0)
    ax.errorbar(
        grid, means, ERRORS * known, color=INK, lw=1.3, marker="o", ms=3.5, elinewidth=1, capsize=2
    )
    if max(grid) >= LOG_FROM * min(grid):
        ax.set_xscale("log")
    ax.set_xticks(grid, [str(K) for K in grid])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("topics")
    ax.set_ylabel(MEASURES[measure])
    if not np.isfinite(means).any():  # as of one chain, which overlaps with no other
        ax.text(0.5, 0.5, "needs two chains", transform=ax.transAxes, ha="center", color=NOTE)
    tidy(ax)
    return ax


def search_figure(found: KSearch) -> Figure:
    """Return a figure of six panels: prediction, coherence, and diversity and stability of topics.

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=4, seed=1).corpus
    >>> found = blocklda.evaluate.search_n_topics(
    ...     corpus, [3, 6], n_chains=2, n_sweeps=20, burn_in=10, random_state=0
    ... )
    >>> figure = plots.search_figure(found)
    """
    width, height = PANEL_INCHES
    figure: Figure = require_matplotlib().Figure(
        (2 * width, 3 * 0.8 * height), layout="constrained"
    )
    panels = figure.subplots(3, 2)
    for ax, measure in zip(panels.ravel(), PANELS, strict=True):
        search_n_topics(found, measure, ax)
    for ax in panels[:-1].ravel():
        ax.set_xlabel("")
    figure.align_ylabels()
    n_chains = len(found.rows[0].heldout.values)
    dots = f"dots: {n_chains} chains of each K; " if n_chains > 1 else ""
    figure.supxlabel(f"{dots}lines: means ± 2 standard errors", fontsize=LABEL_SIZE, color=NOTE)
    return figure


def _to_the_left(ax: Axes) -> Transform:
    """Return a shift that brings the dots of chains out of the way of means and whiskers."""
    from matplotlib.transforms import ScaledTranslation  # noqa: PLC0415

    return ScaledTranslation(-DOTS_BESIDE / 72, 0, ax.figure.dpi_scale_trans)


def _chains(row: KRow, measure: str) -> tuple[float, ...]:
    value = getattr(row, measure)
    return value.values if isinstance(value, OverChains) else ()


def _mean_and_error(row: KRow, measure: str) -> tuple[float, float]:
    value = getattr(row, measure)
    return (value, np.nan) if isinstance(value, float) else (value.mean, value.se)
