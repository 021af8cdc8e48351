"""Figures into files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blocklda.files.atomic_write import named_path, replace_file, require_place
from blocklda.plots.style import require_matplotlib
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURE_SUFFIXES", "check_figure_path", "save_figure"]

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")

DOTS_PER_INCH = 200
"""Of PNG: fine enough for print at half the width of a page."""


def check_figure_path(path: str | os.PathLike[str]) -> Path:
    """Check and return the path of a figure, before the work that it shows."""
    require_matplotlib()
    file = named_path(path)
    if file.suffix.lower() not in FIGURE_SUFFIXES:
        raise InputError(
            f"{os.fspath(path)} is not the name of a figure: give a name that ends in one of "
            f"{', '.join(FIGURE_SUFFIXES)}."
        )
    require_place(file)
    return file


def save_figure(
    figure: Figure, path: str | os.PathLike[str], dots_per_inch: int = DOTS_PER_INCH
) -> None:
    """Save a figure as PNG, SVG or PDF, by its name, with text as text.

    The file is written under a temporary name and renamed; the same figure gives the same file
    every time. ``dots_per_inch`` is the resolution of a PNG.

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_chains=2, n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> plots.save_figure(plots.trace(lda).figure, "trace.pdf")
    """
    import matplotlib as mpl  # noqa: PLC0415

    dots = whole_number("dots_per_inch", dots_per_inch, 1)
    file = check_figure_path(path)
    kind = file.suffix.lower()[1:]
    # Text as text can be searched and edited; without a date and with a given salt, which names
    # the parts of an SVG, files do not differ by when they were made.
    settings: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "blocklda",
        "pdf.fonttype": 42,
    }
    metadata: dict[str, Any] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context(settings), replace_file(file) as handle:
        figure.savefig(handle, format=kind, dpi=dots, metadata=metadata[kind])
