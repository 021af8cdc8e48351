"""Perplexity against seconds, readable in grey."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import matplotlib as mpl

from benchmarks.contenders import Point

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter

STYLES = {
    ("blocklda", "mean over draws"): {"color": "black", "lw": 2.4},
    ("blocklda", "one state"): {"color": "black", "lw": 1.4, "ls": "--"},
    ("tomotopy", "one state"): {"color": "0.45", "marker": "o"},
    ("MALLET", "one state"): {"color": "0.45", "marker": "D", "mfc": "white"},
    ("WarpLDA", "one state"): {"color": "0.45", "marker": "v", "mfc": "white"},
    ("lda", "one state"): {"color": "0.45", "marker": "s", "ls": ":"},
    ("gensim", "expectation"): {"color": "0.65", "marker": "^", "ls": "-."},
    ("scikit-learn", "expectation"): {"color": "0.65", "marker": "x", "ls": "-."},
}


def perplexity_plot(points: Sequence[Point], folder: Path) -> list[Path]:
    """Draw one panel per corpus and K, with each program's first seed; return the files."""
    panels = sorted({(p.corpus, p.topics) for p in points})
    corpora = list(dict.fromkeys(corpus for corpus, _ in panels))
    sizes = sorted({topics for _, topics in panels})
    figure, axes = plt.subplots(
        len(corpora),
        len(sizes),
        figsize=(4.6 * len(sizes), 3.6 * len(corpora)),
        squeeze=False,
        layout="constrained",
    )
    for row, corpus in zip(axes, corpora, strict=True):
        for axis, topics in zip(row, sizes, strict=True):
            _panel(axis, [p for p in points if (p.corpus, p.topics) == (corpus, topics)])
            axis.set_title(f"{corpus}, K = {topics}")
            axis.set_xlabel("seconds, one thread")
            axis.set_ylabel("held-out perplexity")
    handles, labels = _legend(axes)
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    files = [folder / f"perplexity.{suffix}" for suffix in ("png", "svg")]
    for file in files:
        figure.savefig(file, dpi=150)
    plt.close(figure)
    return files


def _panel(axis: plt.Axes, points: Sequence[Point]) -> None:
    if not points:
        return
    first = min(p.seed for p in points)
    kept = sorted(
        (p for p in points if p.seed == first), key=lambda p: (p.program, p.estimate, p.seconds)
    )
    for key, curve in groupby(kept, key=lambda p: (p.program, p.estimate)):
        line = list(curve)
        axis.plot(
            [p.seconds for p in line],
            [p.perplexity for p in line],
            label=", ".join(key),
            **{"ms": 4, "lw": 1.2, **STYLES[key]},
        )
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter(NullFormatter())
    best = min(p.perplexity for p in kept)
    axis.set_ylim(best * 0.97, best * 1.6)  # where programs differ; random starts lie above
    axis.grid(visible=True, which="both", color="0.9", lw=0.6)


def _legend(axes: Sequence[Sequence[plt.Axes]]) -> tuple[list[object], list[str]]:
    found: dict[str, object] = {}
    for row in axes:
        for axis in row:
            for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
                found.setdefault(label, handle)
    return list(found.values()), list(found)
