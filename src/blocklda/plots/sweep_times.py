"""Seconds per sweep against the number of topics, one panel per corpus and backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

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

    from blocklda.experiments.timing import Timing

__all__ = ["sweep_times", "sweep_times_figure"]


def sweep_times(timings: Sequence[Timing], ax: Axes | None = None) -> Axes:
    """Draw the median seconds per sweep of every sampler, with its quartiles as a band.

    ``timings`` are those of one corpus and backend, one for each number of topics.
    """
    ax = new_panel(ax)
    ordered = sorted(timings, key=lambda one: one.n_topics)
    topics = [one.n_topics for one in ordered]
    for s, name in enumerate(ordered[0].samplers):
        colour, line, mark = line_style(ax, s)
        quartiles = np.array([np.quantile(one.seconds[s], [0.25, 0.5, 0.75]) for one in ordered]).T
        ax.fill_between(topics, quartiles[0], quartiles[2], color=colour, alpha=0.15, lw=0)
        ax.plot(topics, quartiles[1], color=colour, ls=line, marker=mark, ms=3, lw=1.4, label=name)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xticks(topics, [str(n) for n in topics])
    ax.set_xlabel("topics")
    ax.set_ylabel("seconds per sweep")
    ax.set_title(f"{ordered[0].corpus.upper()}, {ordered[0].backend}")
    tidy(ax)
    return ax


def sweep_times_figure(timings: Sequence[Timing]) -> Figure:
    """Return a figure with a row per backend and a column per corpus."""
    corpora = list(dict.fromkeys(one.corpus for one in timings))
    backends = list(dict.fromkeys(one.backend for one in timings))
    width, height = PANEL_INCHES
    size = (len(corpora) * width, len(backends) * height)
    figure: Figure = require_matplotlib().Figure(size, layout="constrained")
    panels = figure.subplots(len(backends), len(corpora), squeeze=False)
    for row, backend in zip(panels, backends, strict=True):
        for ax, corpus in zip(row, corpora, strict=True):
            sweep_times(
                [one for one in timings if (one.corpus, one.backend) == (corpus, backend)], ax
            )
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=LABEL_SIZE
    )
    return figure
