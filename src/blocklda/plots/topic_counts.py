"""The number of topics of every chain, sweep by sweep, of a model that does not give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.plots.style import new_panel, tidy
from blocklda.plots.trace import lines_by_sweep
from blocklda.results.result import result_of
from blocklda.support.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["topic_counts"]


def topic_counts(fit: Any, ax: Axes | None = None) -> Axes:
    """Draw the number of topics after every sweep, a line for each chain; the burn-in is shaded.

    Chains that start with many topics and one that starts with few should meet. Even if they do,
    the number is not a finding: it grows with the corpus and with 1/β.

    Parameters
    ----------
    fit
        A fitted HDP or mixture.
    ax
        Axes to draw on; by default a new figure is created (``ax.figure`` of the result).

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> hdp = blocklda.HDP(n_chains=2, n_sweeps=40, random_state=0, progress=False).fit(corpus)
    >>> axes = plots.topic_counts(hdp)
    """
    result = result_of(fit)
    if result.counts is None:
        raise InputError(
            f"the number of topics of this model is fixed ({result.n_topics}): to see its chains, "
            "use plots.trace."
        )
    ax = new_panel(ax)
    lines_by_sweep(ax, result.counts, result.burn_in)
    highest = np.nanmax(result.counts) if np.isfinite(result.counts).any() else 1.0
    ax.set_ylim(0, 1.08 * highest)
    ax.set_ylabel(result.counted)
    tidy(ax)
    return ax
