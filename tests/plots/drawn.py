"""Looking at what was drawn."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes


def svg(drawn: Any) -> str:
    """Return a figure as text; drawing it is what meets bad names and missing room."""
    import matplotlib as mpl  # noqa: PLC0415

    figure = getattr(drawn, "figure", None) or drawn
    file = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(file, format="svg")
    return file.getvalue()


def tick_names(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def bar_ends(ax: Axes) -> list[float]:
    return [bar.get_width() for bar in ax.patches]


def intervals(collection: Any) -> list[tuple[float, float]]:
    """Return where the lines of ``hlines`` begin and end."""
    return [(path.vertices[0, 0], path.vertices[-1, 0]) for path in collection.get_paths()]
