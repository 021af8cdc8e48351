"""How long a study will take, from a few sweeps of it."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from blocklda.experiments.mixing import missing_starts, mixing_plan
from blocklda.experiments.studies import MixingStudy, TimingStudy
from blocklda.experiments.timing import TimingPiece, missing_pieces, time_sweeps, timing_corpus

__all__ = ["estimated_seconds"]

PROBE_SWEEPS = 2
PROBE_TOPICS = (8, 32)
"""Sweeps of a start, and numbers of topics, that are tried to tell how long all of them take."""


def estimated_seconds(
    study: MixingStudy | TimingStudy, out: Path, data: str | os.PathLike[str] | None, n_jobs: int
) -> float:
    """Return the time that is left of a study, by a short trial of it; 0 if it is done."""
    if isinstance(study, TimingStudy):
        return _of_timing(study, out, data)
    missing = len(missing_starts(study, out))
    if not missing:
        return 0.0
    plan = replace(mixing_plan(study, data), n_sweeps=PROBE_SWEEPS, window=PROBE_SWEEPS)
    begin = time.perf_counter()
    plan.run_start(0)
    per_sweep = (time.perf_counter() - begin) / PROBE_SWEEPS
    return per_sweep * study.n_sweeps * missing / min(n_jobs, missing)


def _of_timing(study: TimingStudy, out: Path, data: str | os.PathLike[str] | None) -> float:
    """Extrapolate the time of a round of sweeps from two numbers of topics, as a line in K."""
    total = 0.0
    lines: dict[tuple[str, str], tuple[float, float]] = {}
    for piece in missing_pieces(study, out):
        group = piece.corpus, piece.backend
        if group not in lines:
            lines[group] = _line(study, piece, data)
        level, slope = lines[group]
        repeats = study.repeats if piece.backend == "native" else study.twin_repeats
        total += (repeats + 1) * (level + slope * piece.n_topics)
    return total


def _line(
    study: TimingStudy, piece: TimingPiece, data: str | os.PathLike[str] | None
) -> tuple[float, float]:
    corpus = timing_corpus(study, piece, data)
    few, many = (
        time_sweeps(
            piece.corpus,
            corpus,
            n_topics,
            study.samplers,
            backend=piece.backend,
            repeats=1,
            seed=study.seed,
        ).seconds.sum()
        for n_topics in PROBE_TOPICS
    )
    slope = max(0.0, float(many - few) / (PROBE_TOPICS[1] - PROBE_TOPICS[0]))
    return max(0.0, float(few) - slope * PROBE_TOPICS[0]), slope
