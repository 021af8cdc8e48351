"""The log posterior of every chain, sweep by sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from blocklda.plots.style import NOTE, TEXT_SIZE, legend_above, line_style, new_panel, tidy
from blocklda.results.result import result_of
from blocklda.support.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from blocklda.estimator.lda import LDA

__all__ = ["lines_by_sweep", "trace"]

MARKS = 8
"""Approximate number of marks on a line, which distinguish chains in black and white."""


def trace(lda: LDA, ax: Axes | None = None) -> Axes:
    """Draw the log posterior after every sweep, a line for each chain; the burn-in is shaded.

    The vertical axis is scaled to the sweeps after the burn-in; the climb before it is cut off.

    Parameters
    ----------
    lda
        A fitted model.
    ax
        Axes to draw on; by default a new figure is created (``ax.figure`` of the result).

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_chains=2, n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> axes = plots.trace(lda)
    """
    model = result_of(lda)
    levels = model.log_posterior
    ax = new_panel(ax)
    lines_by_sweep(ax, levels, model.burn_in)
    ax.set_ylim(*_height(levels, model.burn_in))
    ax.set_ylabel("log posterior")
    return ax


def lines_by_sweep(ax: Axes, values: Floats, burn_in: int) -> None:
    """Draw a line for each chain over its sweeps, with the burn-in shaded."""
    n_chains, n_sweeps = values.shape
    sweeps = np.arange(1, n_sweeps + 1)
    every = max(1, n_sweeps // MARKS)
    for chain, row in enumerate(values):
        colour, _, mark = line_style(ax, chain)
        # Marks of different chains stand beside each other, not on top.
        first = every * chain // n_chains
        ax.plot(
            sweeps,
            row,
            color=colour,
            lw=0.9,
            marker=mark,
            ms=3.5,
            markevery=(first, every),
            label=f"chain {chain}",
        )
    ax.set_xlim(0, n_sweeps + 0.5)
    if burn_in:
        ax.axvspan(0, burn_in + 0.5, color="0.5", alpha=0.15, lw=0, zorder=0)
        # In the corner that chains leave free as they climb.
        ax.annotate(
            "burn-in",
            (0, 1),
            (3, -3),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=TEXT_SIZE,
            color=NOTE,
        )
    ax.set_xlabel("sweeps")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    tidy(ax)
    if n_chains > 1:
        legend_above(ax, min(n_chains, 4))


def _height(levels: Floats, burn_in: int) -> tuple[float, float]:
    """Return the ends of the axis: those of all chains after the burn-in, and some room."""
    known = np.isfinite(levels)
    later = known & (np.arange(1, levels.shape[1] + 1) > burn_in)
    # An interrupt may have left nothing but burn-in.
    shown = levels[later if later.any() else known]
    low, high = float(shown.min()), float(shown.max())
    margin = 0.06 * (high - low) or 1.0
    return low - margin, high + margin
