"""What all figures share: sizes, colours, and axes without ornament."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.results.result import FitResult
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError, not_allowed
from blocklda.support.extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "AS_IT_IS",
    "BAND",
    "FAINT",
    "GRID",
    "INK",
    "LABEL_SIZE",
    "NOTE",
    "PANEL_INCHES",
    "STYLES",
    "TEXT_SIZE",
    "checked_topics",
    "foreground",
    "legend_above",
    "line_style",
    "new_panel",
    "one_line",
    "require_matplotlib",
    "tidy",
    "topic_name",
]

PANEL_INCHES = (3.5, 2.6)
"""A panel is as wide as a column of a journal's page."""

LABEL_SIZE, TEXT_SIZE = 9, 8
"""Points: of the names of axes and titles, and of all else."""

STYLES = (
    ("#000000", "-", "o"),
    ("#D55E00", "--", "s"),
    ("#0072B2", "-.", "^"),
    ("#CC79A7", ":", "D"),
    ("#009E73", (0, (5, 1, 1, 1, 1, 1)), "v"),
    ("#E69F00", (0, (1, 1)), "P"),
    ("#56B4E9", (0, (7, 2)), "X"),
)
"""Colours that the colour-blind tell apart (Okabe and Ito), each with a line and a mark of
its own, so that grey print tells them apart as well."""

INK, BAND, FAINT = "#0072B2", "#B3D4E8", "0.6"
"""What is estimated, how far it may be off, and what is there for comparison only."""

NOTE = "0.45"
"""Of remarks, and of lines that join: seen on white and on black."""

AS_IT_IS: dict[str, Any] = {"parse_math": False, "usetex": False}
"""For names that users give: dollars and underscores in them are no mathematics."""

GRID: dict[str, Any] = {"color": "0.5", "alpha": 0.2, "lw": 0.5}
"""Faint on white, and faint on black."""

LONGEST_NAME = 24
"""Letters of a name that are shown: long ones would leave no room for the figure."""


def new_panel(ax: Axes | None, inches: tuple[float, float] = PANEL_INCHES) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    panel: Axes = require_matplotlib().Figure(inches, layout="constrained").subplots()
    return panel


def tidy(ax: Axes, grid: str = "both") -> None:
    """Give axes a faint grid ("both", "x", "y"), no box around them, and letters of one size."""
    ax.grid(visible=True, axis=grid, **GRID)  # type: ignore[arg-type]
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(which="both", labelsize=TEXT_SIZE)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_fontsize(LABEL_SIZE)


def foreground(ax: Axes) -> Any:
    """Return the colour of letters, which is seen on the background whatever that is."""
    return ax.xaxis.label.get_color()


def line_style(ax: Axes, place: int) -> tuple[Any, Any, str]:
    """Return colour, line and mark of the one at a place; black is the colour of the letters."""
    colour, line, mark = STYLES[place % len(STYLES)]
    return foreground(ax) if place % len(STYLES) == 0 else colour, line, mark


def one_line(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name that stays in its line: printable, and cut where it is long."""
    text = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def legend_above(ax: Axes, n_columns: int = 1) -> None:
    """Name the lines above the axes, where they hide nothing.

    At the right, so that long names take the room above the labels of the axis.
    """
    legend = ax.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0.3,
        handlelength=2.4,
        handletextpad=0.6,
        columnspacing=1.2,
        ncols=n_columns,
        frameon=False,
        fontsize=TEXT_SIZE,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
        text.set_usetex(False)


def require_matplotlib() -> ModuleType:
    """Return ``matplotlib.figure``, or say how to get it.

    Figures are made without pyplot: no window system is looked for, and nothing global is left.
    """
    figure: ModuleType = import_extra("matplotlib.figure", "plot", "drawing figures")
    return figure


LONGEST_WORD, LONGEST_LIST = 14, 34
"""Letters of a word, and of the words of a topic together."""


def topic_name(model: FitResult, topic: int, n_words: int = 3) -> str:
    """Return the number of a topic and its label, or its most probable words if it has none."""
    if topic in model.labels:
        return f"{topic}  {one_line(model.labels[topic], LONGEST_LIST)}"
    row = model.topic_word[topic]
    top = np.argsort(-row, kind="stable")[:n_words]
    words = ", ".join(one_line(model.words[v], LONGEST_WORD) for v in top)
    return f"{topic}  {one_line(words, LONGEST_LIST)}".rstrip()


def checked_topics(topics: Any, n_topics: int) -> Sequence[int]:
    """Return topics in the order in which they were given, or say which one is not there."""
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise not_allowed("topics", topics, "a list of topic numbers, such as [0, 5]")
    numbers = [whole_number(f"topics[{i}]", k, 0, n_topics - 1) for i, k in enumerate(topics)]
    if not numbers:
        raise InputError("topics is empty: give the numbers of the topics to draw.")
    return numbers
