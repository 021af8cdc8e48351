"""Topics over a grid of words as pictures for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.color import Color
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from blocklda.support.arrays import Floats

__all__ = ["topic_pictures"]

_EMPTY = (40, 44, 58)
_FULL = (255, 196, 94)
_GLYPHS = ("··", "░░", "▒▒", "▓▓", "██")
_ASCII_GLYPHS = ("..", "--", "++", "%%", "##")
_LABEL_WIDTH = 10
_GAP = 2


def topic_pictures(
    console: Console,
    side: int,
    rows: Sequence[tuple[str, Floats]],
    caption_label: str,
    captions: Sequence[Text],
) -> Group:
    """Return rows of pictures, one labelled row per set of topics, captions below the last.

    A cell as probable as in a bar is full. With colours a character shows two cells, one above the
    other; without, two characters show one cell by their density. Where the rows are too long for
    the console they are broken together.
    """
    shades = _has_shades(console)
    n_topics = len(captions)
    per_band = _per_band(n_topics, side if shades else 2 * side, console.width)
    bands: list[RenderableType] = []
    for start in range(0, n_topics, per_band):
        band = Table.grid(padding=(0, _GAP, 0, 0))
        band.add_column(width=_LABEL_WIDTH)
        for label, topics in rows:
            grids = np.clip(topics[start : start + per_band] * side, 0, 1).reshape(-1, side, side)
            pictures = (_shaded(grid) if shades else _typed(grid, console) for grid in grids)
            band.add_row()
            band.add_row(label, *pictures)
        band.add_row(caption_label, *captions[start : start + per_band])
        bands.append(band)
    return Group(*bands)


def _per_band(n_topics: int, picture_width: int, width: int) -> int:
    """Return how many pictures stand side by side, the same number in every band if possible."""
    fitting = max(1, (width - _LABEL_WIDTH) // (picture_width + _GAP))
    n_bands = -(-n_topics // fitting)
    return -(-n_topics // n_bands)


def _has_shades(console: Console) -> bool:
    colours = console.color_system is not None and not console.no_color
    return colours and not console.options.ascii_only


def _shaded(levels: Floats) -> Text:
    """Draw two rows of cells per line: the upper one in the colour of the half block "▀"."""
    picture = Text()
    for i in range(0, len(levels), 2):
        if i:
            picture.append("\n")
        below = levels[i + 1] if i + 1 < len(levels) else [None] * len(levels)
        for top, bottom in zip(levels[i], below, strict=True):
            background = None if bottom is None else _colour(bottom)
            picture.append("▀", Style(color=_colour(top), bgcolor=background))
    return picture


def _colour(level: float) -> Color:
    red, green, blue = (e + (f - e) * level for e, f in zip(_EMPTY, _FULL, strict=True))
    return Color.from_rgb(red, green, blue)


def _typed(levels: Floats, console: Console) -> Text:
    glyphs = _ASCII_GLYPHS if console.options.ascii_only else _GLYPHS
    steps = np.rint(levels * (len(glyphs) - 1)).astype(int)
    return Text("\n".join("".join(glyphs[step] for step in row) for row in steps))
