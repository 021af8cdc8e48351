"""All studies from start to end: run what is missing, then figures, tables and the page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from blocklda.evaluate.compare_result import Comparison
from blocklda.experiments.claims import Claim
from blocklda.experiments.data import REAL_CORPORA, read_real_corpus
from blocklda.experiments.mixing import missing_starts, run_mixing
from blocklda.experiments.mixing_claims import corpus_claims, mixing_claims
from blocklda.experiments.results_page import claims_section, mixing_section, page, timing_section
from blocklda.experiments.studies import MIXING, STUDIES, TIMING, MixingStudy, TimingStudy, quick
from blocklda.experiments.timing import Timing, missing_pieces, run_timing
from blocklda.experiments.timing_claims import timing_claims
from blocklda.files.atomic_write import replace_file
from blocklda.files.csv_output import csv_rows
from blocklda.plots.sampler_comparison import comparison_figure
from blocklda.plots.saving import save_figure
from blocklda.plots.sweep_times import sweep_times_figure
from blocklda.support.errors import InputError

__all__ = ["Display", "chosen_studies", "reproduce"]

Study = MixingStudy | TimingStudy
Data = str | os.PathLike[str] | None


class Display(Protocol):
    """An observer of how far the studies are."""

    def begin(self, study: str, total: int, left: int) -> None:
        """Report that a study begins, with the number of all steps and of those left."""

    def advance(self, study: str, steps: int) -> None:
        """Report that steps were done."""


class _Nobody:
    """Called for studies that are already done."""

    def begin(self, study: str, total: int, left: int) -> None:
        pass

    def advance(self, study: str, steps: int) -> None:
        pass


def chosen_studies(names: Sequence[str], *, is_quick: bool) -> list[Study]:
    """Return the studies of these names, in the paper's order."""
    known: dict[str, Study] = {**MIXING, TIMING.name: TIMING}
    chosen = [study for name, study in known.items() if name in names]
    return [quick(study) for study in chosen] if is_quick else chosen


def reproduce(
    studies: Sequence[Study],
    out: Path,
    data: Data,
    n_jobs: int,
    display: Display,
    *,
    is_quick: bool,
) -> list[Claim]:
    """Run studies, write their figures and tables to ``out``, and return the claims.

    ``results.md`` has the studies that were finished in the same folder before, too.
    """
    results = {study.name: _result(study, out, data, n_jobs, display) for study in studies}
    for study in chosen_studies(STUDIES, is_quick=is_quick):
        if study.name not in results and not _missing(study, out):
            with suppress(InputError):  # made with other settings, or its data are gone
                results[study.name] = _result(study, out, data, n_jobs, _Nobody())
    ordered = [results[name] for name in STUDIES if name in results]
    table = claims_section([claim for result in ordered for claim in result.claims])
    text = page([table, *(result.section for result in ordered)], is_quick=is_quick)
    with replace_file(out / "results.md") as file:
        file.write(text.encode())
    return [claim for study in studies for claim in results[study.name].claims]


class _Result(NamedTuple):
    """What came out of a study: its rows of the table, and its section of the page."""

    claims: list[Claim]
    section: str


def _missing(study: Study, out: Path) -> Sequence[object]:
    """Return what of a study has not been run."""
    if isinstance(study, TimingStudy):
        return missing_pieces(study, out)
    return missing_starts(study, out)


def _result(study: Study, out: Path, data: Data, n_jobs: int, display: Display) -> _Result:
    """Run what is missing, and draw and judge all of it."""
    if isinstance(study, TimingStudy):
        return _timing(study, out, data, display)
    return _mixing(study, out, data, n_jobs, display)


def _mixing(study: MixingStudy, out: Path, data: Data, n_jobs: int, display: Display) -> _Result:
    total = study.n_starts * study.n_sweeps
    display.begin(study.name, total, len(missing_starts(study, out)) * study.n_sweeps)
    comparison = run_mixing(
        study, out, data, n_jobs, lambda steps: display.advance(study.name, steps)
    )
    folder = out / study.name
    figure = comparison_figure(comparison)
    for suffix in ("png", "svg"):
        save_figure(figure, folder / f"figure.{suffix}")
    _write_curves(folder / "curves.csv", comparison)
    claims = mixing_claims(study.name, comparison)
    if study.name in REAL_CORPORA:
        claims = [*corpus_claims(study.name, read_real_corpus(study.name, data)), *claims]
    return _Result(claims, mixing_section(study, comparison))


def _timing(study: TimingStudy, out: Path, data: Data, display: Display) -> _Result:
    total = len(study.corpora) * 2 * len(study.topics)
    display.begin(study.name, total, len(missing_pieces(study, out)))
    timings = run_timing(study, out, data, lambda _: display.advance(study.name, 1))
    folder = out / study.name
    figure = sweep_times_figure(timings)
    for suffix in ("png", "svg"):
        save_figure(figure, folder / f"figure.{suffix}")
    _write_timings(folder / "seconds.csv", timings)
    return _Result(timing_claims(timings), timing_section(study, timings))


def _write_curves(path: Path, comparison: Comparison) -> None:
    """Write a line for every sampler, start and sweep; perplexity where a window ends."""
    header = ("sampler", "start", "sweep", "seconds", "log_posterior", "perplexity")
    _write(path, header, _curve_rows(comparison))


def _write_timings(path: Path, timings: Sequence[Timing]) -> None:
    """Write a line for every sweep that was timed."""
    header = ("corpus", "backend", "topics", "sampler", "repeat", "seconds")
    rows = (
        (timing.corpus, timing.backend, timing.n_topics, name, r, f"{seconds:.6g}")
        for timing in timings
        for name, row in zip(timing.samplers, timing.seconds, strict=True)
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
