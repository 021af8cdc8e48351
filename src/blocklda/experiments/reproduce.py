"""All studies from start to end: run what is missing, then figures, tables and the page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from blocklda.experiments.claims import Claim
from blocklda.experiments.curves_file import write_curves, write_timings
from blocklda.experiments.data import REAL_CORPORA, read_real_corpus
from blocklda.experiments.mixing import missing_starts, run_mixing
from blocklda.experiments.mixing_claims import corpus_claims, mixing_claims
from blocklda.experiments.results_page import claims_section, mixing_section, page, timing_section
from blocklda.experiments.studies import MIXING, TIMING, MixingStudy, TimingStudy, quick
from blocklda.experiments.timing_claims import timing_claims
from blocklda.experiments.timing_study import missing_pieces, run_timing
from blocklda.files.atomic_write import replace_file
from blocklda.plots.sampler_comparison import comparison_figure
from blocklda.plots.saving import save_figure
from blocklda.plots.sweep_times import sweep_times_figure

__all__ = ["Display", "chosen_studies", "reproduce"]

Study = MixingStudy | TimingStudy
Data = str | os.PathLike[str] | None


class Display(Protocol):
    """Somebody who is told how far the studies are."""

    def begin(self, study: str, total: int, left: int) -> None:
        """Tell that a study begins, with so many steps of which so many are left."""

    def advance(self, study: str, steps: int) -> None:
        """Tell that steps were done."""


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
    """Run studies, write their figures and tables to ``out``, and return the claims."""
    claims: list[Claim] = []
    sections: list[str] = []
    for study in studies:
        if isinstance(study, TimingStudy):
            found, section = _timing(study, out, data, display)
        else:
            found, section = _mixing(study, out, data, n_jobs, display)
        claims += found
        sections.append(section)
    text = page([claims_section(claims), *sections], is_quick=is_quick)
    with replace_file(out / "results.md") as file:
        file.write(text.encode())
    return claims


def _mixing(
    study: MixingStudy, out: Path, data: Data, n_jobs: int, display: Display
) -> tuple[list[Claim], str]:
    total = study.n_starts * study.n_sweeps
    display.begin(study.name, total, len(missing_starts(study, out)) * study.n_sweeps)
    comparison = run_mixing(
        study, out, data, n_jobs, lambda steps: display.advance(study.name, steps)
    )
    folder = out / study.name
    figure = comparison_figure(comparison)
    for suffix in ("png", "svg"):
        save_figure(figure, folder / f"figure.{suffix}")
    write_curves(folder / "curves.csv", comparison)
    claims = mixing_claims(study.name, comparison)
    if study.name in REAL_CORPORA:
        claims = [*corpus_claims(study.name, read_real_corpus(study.name, data)), *claims]
    return claims, mixing_section(study, comparison)


def _timing(study: TimingStudy, out: Path, data: Data, display: Display) -> tuple[list[Claim], str]:
    total = len(study.corpora) * 2 * len(study.topics)
    display.begin(study.name, total, len(missing_pieces(study, out)))
    timings = run_timing(study, out, data, lambda _: display.advance(study.name, 1))
    folder = out / study.name
    figure = sweep_times_figure(timings)
    for suffix in ("png", "svg"):
        save_figure(figure, folder / f"figure.{suffix}")
    write_timings(folder / "seconds.csv", timings)
    return timing_claims(timings), timing_section(study, timings)
