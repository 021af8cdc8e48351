"""Expected shares of topics over a covariate of a regression."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.plots.style import checked_topics, legend_above, line_style, new_panel, tidy
from blocklda.summaries.effects import EffectEstimate
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["effect"]

N_PLACES = 60
"""Places along a number at which the curve is drawn."""

MOST_TOPICS = 4


def effect(
    found: EffectEstimate,
    variable: str,
    topics: Iterable[int] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the expected share of topics over one covariate, with a band for the interval.

    Other covariates are held at their mean, or at their most frequent value.

    Parameters
    ----------
    found
        The result of ``lda.estimate_effect``.
    variable
        A column of its data.
    topics
        Numbers of the topics; the default is the first four.
    ax
        Axes to draw on; by default a new figure is created (``ax.figure`` of the result).

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_chains=2, n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> import pandas as pd
    >>> found = lda.estimate_effect("~ x", pd.DataFrame({"x": range(60)}))
    >>> axes = plots.effect(found, "x")
    """
    pandas = import_extra("pandas", "pandas", "plots.effect")
    if variable not in found.data.columns:
        known = ", ".join(map(repr, found.data.columns))
        raise InputError.of(
            "{variable=} is not a column of the data: [give one of <{known:.200}>]."
        ).where(variable=variable, known=known)
    n_topics = len(found.names)
    shown = checked_topics(
        range(min(MOST_TOPICS, n_topics)) if topics is None else topics, n_topics
    )
    column = found.data[variable].dropna()
    is_number = pandas.api.types.is_numeric_dtype(column)
    places: Any = (
        np.linspace(column.min(), column.max(), N_PLACES) if is_number else sorted(column.unique())
    )
    grid = pandas.DataFrame({variable: places})
    for name, values in found.data.items():
        if name != variable:
            is_mean = pandas.api.types.is_numeric_dtype(values)
            grid[name] = values.mean() if is_mean else values.mode().iloc[0]
    predicted = found.predict(grid)
    ax = new_panel(ax)
    for i, k in enumerate(shown):
        rows = predicted[predicted["topic"] == k]
        colour, line, mark = line_style(ax, i)
        xs = places if is_number else np.arange(len(places)) + 0.08 * (i - (len(shown) - 1) / 2)
        if is_number:
            ax.fill_between(xs, rows["low"], rows["high"], color=colour, alpha=0.15, lw=0)
            ax.plot(xs, rows["mean"], color=colour, ls=line, lw=1.3, label=found.names[k])
        else:
            ax.vlines(xs, rows["low"], rows["high"], color=colour, lw=1.2)
            ax.plot(xs, rows["mean"], mark, color=colour, ms=4, mew=0, label=found.names[k])
    if not is_number:
        ax.set_xticks(np.arange(len(places)), [str(place) for place in places])
    ax.set_xlabel(variable)
    ax.set_ylabel("expected share")
    tidy(ax)
    legend_above(ax)
    return ax
