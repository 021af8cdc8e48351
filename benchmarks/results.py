"""Figures with their targets, a Markdown table of them, and the curves as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from benchmarks.contenders import Point
from benchmarks.harness import table


@dataclass(frozen=True)
class Target:
    """What a ratio should be: at least or at most a number."""

    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        return value >= self.bound if self.sign == "≥" else value <= self.bound

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:.3g}"


@dataclass(frozen=True)
class Figure:
    """One measured number: what it is, on which corpus, and what it should be."""

    measure: str
    corpus: str
    value: float
    target: Target | None = None

    def cells(self) -> tuple[str, str]:
        value = f"{self.value:.4g}" if self.value >= 100 else f"{self.value:.3g}"
        if self.target is None:
            return value, ""
        return (value if self.target.holds(self.value) else f"**{value}**"), str(self.target)


def at_least(*bounds: float) -> dict[str, Target]:
    return _per_corpus("≥", bounds)


def at_most(*bounds: float) -> dict[str, Target]:
    return _per_corpus("≤", bounds)


def _per_corpus(sign: str, bounds: Sequence[float]) -> dict[str, Target]:
    names = ("KOS", "NIPS") if len(bounds) > 1 else ("bars",)
    return {name: Target(sign, bound) for name, bound in zip(names, bounds, strict=True)}


def figures_table(figures: Iterable[Figure]) -> str:
    """Return one row per measure and two columns per corpus: the figure and its target."""
    found = list(figures)
    corpora = list(dict.fromkeys(figure.corpus for figure in found))
    cells = {(figure.measure, figure.corpus): figure.cells() for figure in found}
    header = ["", *(text for corpus in corpora for text in (corpus, "target"))]
    rows = [
        [measure, *(text for corpus in corpora for text in cells.get((measure, corpus), ("", "")))]
        for measure in dict.fromkeys(figure.measure for figure in found)
    ]
    return table(header, rows)


def curves_table(points: Iterable[Point]) -> str:
    """Return where every program's curve ended, seconds per sweep included."""
    last = {(p.corpus, p.topics, p.seed, p.program, p.estimate): p for p in points}
    rows = [
        [
            f"{p.corpus}, K={p.topics}, seed {p.seed}: {p.program}, {p.estimate}",
            f"{p.seconds:.2f}",
            str(p.sweeps),
            f"{p.seconds / p.sweeps:.4f}",
            f"{p.perplexity:.0f}",
        ]
        for p in last.values()
    ]
    return table(["", "seconds", "sweeps", "s/sweep", "perplexity"], rows)


def write_curves(points: Iterable[Point], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Point)])
        writer.writeheader()
        writer.writerows(asdict(point) for point in points)
