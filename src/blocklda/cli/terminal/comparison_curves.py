"""The curves of a comparison as lines of blocks, one per sampler, all on one scale."""

from __future__ import annotations

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from blocklda.evaluate.compare_result import X_LABELS, Y_LABELS, Comparison, curves, lowest_shown
from blocklda.support.arrays import Floats
from blocklda.support.sparkline import ASCII_BLOCKS, BLOCKS

__all__ = ["comparison_curves"]


SIDE_BY_SIDE_FROM = 96
"""Consoles of this many columns have room for the curves against sweeps and seconds in a row."""

LONGEST = 48
"""A line of blocks is at most this long: longer ones show no more."""


def comparison_curves(comparison: Comparison, console: Console) -> Group:
    """Return both measures against sweeps and against seconds, medians over starts."""
    name_width = max(map(len, comparison.samplers))
    is_wide = console.width >= SIDE_BY_SIDE_FROM
    columns = len(X_LABELS) if is_wide else 1
    width = (console.width - 2) // columns - name_width - 3
    width = max(1, min(LONGEST, width))
    blocks = ASCII_BLOCKS if console.options.ascii_only else BLOCKS
    parts: list[RenderableType] = []
    for y in Y_LABELS:
        panels = [_panel(comparison, x, y, width, blocks) for x in X_LABELS]
        if is_wide:
            both = Table.grid(padding=(0, 2, 0, 0))
            both.add_row(*panels)
            parts += [Text(), both]
        else:
            parts += [part for panel in panels for part in (Text(), panel)]
    return Group(*parts)


def _panel(comparison: Comparison, x: str, y: str, width: int, blocks: str) -> Table:
    xs, ys = (np.median(values, axis=1) for values in curves(comparison, x, y))
    low, high = float(ys.min()), float(ys.max())
    if y == "log_posterior":
        low = lowest_shown(curves(comparison, x, y)[1])
    end = float(xs.max())
    panel = Table.grid(padding=(0, 1, 0, 0))
    panel.add_column(no_wrap=True)
    panel.add_column(no_wrap=True, width=width)
    digits = 0 if y == "log_posterior" else 1
    scale = f" from {low:,.{digits}f} to {high:,.{digits}f}"
    panel.title = Text.assemble((Y_LABELS[y], "bold"), (scale, "dim"))
    panel.title_justify = "left"
    for name, one_x, one_y in zip(comparison.samplers, xs, ys, strict=True):
        line = _blocks(_heights(one_x, one_y, end, width), low, high, blocks)
        panel.add_row(name, Text(line, "cyan"))
    panel.add_row("", Text(_axis(x, end, width), "dim"))
    return panel


def _heights(x: Floats, y: Floats, end: float, width: int) -> Floats:
    """Return a curve at ``width`` places from 0 to ``end``; NaN where it is not, or no longer."""
    places = end * (np.arange(width) + 1) / width
    # The last place of a curve is within half a step of its last point.
    return np.interp(places, x, y, left=np.nan, right=np.nan)


def _blocks(values: Floats, low: float, high: float, blocks: str) -> str:
    shares = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
    return "".join(
        " " if np.isnan(share) else blocks[round(share * (len(blocks) - 1))] for share in shares
    )


def _axis(x: str, end: float, width: int) -> str:
    """Return 0, the name of the axis and its end, as far as they fit."""
    last = f"{end:,.0f}" if x == "sweeps" else f"{end:,.3g}"
    label = X_LABELS[x] if len(X_LABELS[x]) + len(last) + 4 <= width else x
    gap = width - 1 - len(last)
    return "0" + label.center(gap)[:gap] + last if gap > 0 else last[:width]
