"""Draw docs/figures/bars.svg: the true bars, and what one run of the demo makes of them.

Run by hand with ``python docs/figures/make_bars.py``; it needs matplotlib.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.typing import RGBAColorType
from numpy.typing import NDArray

from blocklda.cli.commands.demo import DEFAULTS, Example
from blocklda.demo.bars import BarsRun, run_bars

OUTPUT = Path(__file__).with_name("bars.svg")
COLOURS = LinearSegmentedColormap.from_list("bars", ["#282c3a", "#ffc45e"])
TEXT = "#767e87"
"""Readable on a white page and on a dark one."""


def draw(run: BarsRun) -> Figure:
    """Draw two rows of pictures: the true topics above the recovered ones."""
    n_topics = len(run.topics)
    figure = Figure(figsize=(9.2, 2.1))
    axes = figure.subplots(2, n_topics)
    figure.subplots_adjust(left=0.125, right=0.995, top=0.97, bottom=0.03, wspace=0.14, hspace=0.1)
    for row, (label, topics) in zip(
        axes, [("true", run.truth.topics), ("recovered", run.topics)], strict=True
    ):
        for panel, topic in zip(row, topics, strict=True):
            draw_topic(panel, topic)
        row[0].text(-1, 2.5, label, ha="right", va="center", color=TEXT, size=12)
    return figure


def draw_topic(panel: Axes, topic: NDArray[np.float64]) -> None:
    """Draw a topic as a grid of cells; a cell of the background's colour needs no shape."""
    side = round(len(topic) ** 0.5)
    panel.set(xlim=(0, side), ylim=(side, 0), aspect="equal")
    panel.set_axis_off()
    draw_square(panel, (0, 0), side, COLOURS(0.0))
    for cell, probability in enumerate(topic):
        colour = COLOURS(min(1.0, probability * side))
        if to_hex(colour) != to_hex(COLOURS(0.0)):
            draw_square(panel, (cell % side, cell // side), 1, colour)


def draw_square(panel: Axes, corner: tuple[int, int], size: int, colour: RGBAColorType) -> None:
    """Fill a square; a thin edge of the same colour closes the seam between neighbours."""
    panel.add_patch(Rectangle(corner, size, size, color=colour, linewidth=0.5))


def main() -> None:
    """Run the demo with its default settings and write the figure."""
    mpl.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "bars", "font.family": "sans-serif"}
    )
    chosen = DEFAULTS[Example.BARS]
    run = run_bars(*(chosen[name] for name in ("docs", "sweeps", "sampler", "moves", "seed")))
    draw(run).savefig(OUTPUT, transparent=True, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
