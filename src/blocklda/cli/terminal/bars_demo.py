"""``blocklda demo bars``: find the bars again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.color import Color
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from blocklda.cli.terminal.tables import new_table
from blocklda.demo.bars import RECOVERED_BELOW, BarsRun
from blocklda.support.arrays import Floats

__all__ = ["bars_as_dict", "show_bars", "topic_pictures", "verdict"]

CONVERGES_WITHIN = 100
"""Sweeps within which most runs converge, to the bars or to a local mode (the paper's 4.2)."""


def bars_as_dict(run: BarsRun) -> dict[str, Any]:
    """Return the result for JSON."""
    return {
        "example": "bars",
        "documents": run.truth.corpus.n_docs,
        "words": run.truth.corpus.n_words,
        "topics": len(run.topics),
        "training_tokens": run.n_train_tokens,
        "sampler": run.sampler,
        "moves": list(run.moves),
        "seed": run.seed,
        "sweeps": run.n_sweeps,
        "seconds": run.seconds,
        "tokens_per_second": run.tokens_per_second,
        "log_posterior": run.log_posterior,
        "true_log_posterior": run.true_log_posterior,
        "perplexity": run.perplexity,
        "true_perplexity": run.true_perplexity,
        "distances": run.distances.tolist(),
        "recovered": int(run.recovered.sum()),
        "all_recovered": bool(run.recovered.all()),
        "topic_word": run.topics.tolist(),
    }


def show_bars(run: BarsRun, console: Console) -> None:
    """Print true and recovered topics, and what they are worth."""
    side = round(run.truth.corpus.n_words**0.5)
    rows = [("true", run.truth.topics), ("recovered", run.topics)]
    console.print(_headline(run))
    console.print(topic_pictures(console, side, rows, "distance", _distances(run)))
    console.print()
    console.print(_comparison(run))
    console.print()
    console.print(_speed(run))
    console.print(verdict(run))


def _headline(run: BarsRun) -> Text:
    corpus = run.truth.corpus
    return Text.assemble(
        (
            f"{corpus.n_docs:,} documents of {corpus.n_tokens // corpus.n_docs} words, drawn from "
            "ten topics that look like bars\n",
            "bold",
        ),
        (
            "A word is a cell of a 5 by 5 grid, a topic is a row or a column.\nHalf of the words "
            f"of the last {run.n_split_docs:,} documents are held out.",
            "dim",
        ),
    )


def _distances(run: BarsRun) -> list[Text]:
    return [
        Text(f"{distance:.3f}", "green" if found else "bold red")
        for distance, found in zip(run.distances, run.recovered, strict=True)
    ]


def _comparison(run: BarsRun) -> Table:
    table = new_table()
    table.add_column()
    table.add_column("this run", justify="right")
    table.add_column("true model", justify="right")
    table.add_row("log posterior", f"{run.log_posterior:,.0f}", f"{run.true_log_posterior:,.0f}")
    table.add_row("held-out perplexity", f"{run.perplexity:.3f}", f"{run.true_perplexity:.3f}")
    return table


def _speed(run: BarsRun) -> Text:
    return Text(
        f"{run.n_sweeps:,} sweeps by the {run.sampler} sampler{_with_moves(run)} in "
        f"{run.seconds:.2f} s: "
        f"{run.tokens_per_second / 1e6:.1f} million tokens per second\nOn average, no model has a "
        "lower perplexity than the true one.",
        "dim",
    )


def _with_moves(run: BarsRun) -> str:
    return f" with {', '.join(run.moves)}" if run.moves else ""


def verdict(run: BarsRun) -> Text:
    """Say what happened, and claim success only for all bars."""
    n_bars, n_found = len(run.recovered), int(run.recovered.sum())
    if n_found == n_bars:
        return Text(
            f"All {n_bars} bars were recovered, each within {RECOVERED_BELOW} in total variation.",
            "bold green",
        )
    found = f"{n_found} of the {n_bars} bars were recovered"
    if run.reaches_true_level:
        reason = (
            "the log posterior is as high as the true model's, but these documents are too few "
            "to show every bar. Try more --docs."
        )
    elif run.n_sweeps < CONVERGES_WITHIN:
        reason = "the chain has not converged. Try more --sweeps."
    else:
        reason = (
            "this run is caught in a local mode, as were 5 of 30 runs of Zhang and Sisson. "
            f"Try {'another --seed' if run.moves else '--moves merge-split'}."
        )
    return Text(f"{found}: {reason}", "bold dark_orange3")


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
