"""Every curve of a study as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from blocklda.evaluate.compare_result import Comparison
from blocklda.experiments.timing import Timing
from blocklda.files.atomic_write import replace_file
from blocklda.files.csv_output import csv_rows

__all__ = ["write_curves", "write_timings"]


def write_curves(path: Path, comparison: Comparison) -> None:
    """Write a line for every sampler, start and sweep; perplexity where a window ends."""
    header = ("sampler", "start", "sweep", "seconds", "log_posterior", "perplexity")
    _write(path, header, _curve_rows(comparison))


def write_timings(path: Path, timings: Sequence[Timing]) -> None:
    """Write a line for every sweep that was timed."""
    header = ("corpus", "backend", "topics", "sampler", "repeat", "seconds")
    rows = (
        (one.corpus, one.backend, one.n_topics, name, r, f"{seconds:.6g}")
        for one in timings
        for name, row in zip(one.samplers, one.seconds, strict=True)
        for r, seconds in enumerate(row.tolist())
    )
    _write(path, header, rows)


def _curve_rows(comparison: Comparison) -> Iterator[tuple[object, ...]]:
    window_of = {int(sweep): i for i, sweep in enumerate(comparison.window_ends)}
    for s, name in enumerate(comparison.samplers):
        for r in range(comparison.n_starts):
            for t in range(comparison.n_sweeps + 1):
                window = window_of.get(t)
                yield (
                    name,
                    r,
                    t,
                    f"{comparison.seconds[s, r, t]:.6g}",
                    f"{comparison.log_posterior[s, r, t]:.2f}",
                    "" if window is None else f"{comparison.perplexity[s, r, window]:.6g}",
                )


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with replace_file(path) as file, csv_rows(file) as write_row:
        write_row(header)
        for row in rows:
            write_row(row)
