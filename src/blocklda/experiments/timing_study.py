"""Figure 3 as a study: every corpus, backend and number of topics is one piece of work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from blocklda.data.corpus import Corpus
from blocklda.experiments.data import read_real_corpus
from blocklda.experiments.run_files import RunFiles
from blocklda.experiments.studies import TimingStudy
from blocklda.experiments.timing import BACKENDS, Timing, first_docs, time_sweeps

__all__ = ["TimingPiece", "missing_pieces", "run_timing", "timing_corpus", "timing_pieces"]


class TimingPiece(NamedTuple):
    """What is timed at once: all samplers in turns, on one corpus with one number of topics."""

    corpus: str
    backend: str
    n_topics: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.corpus}-{self.backend}-{self.n_topics}"


def timing_pieces(study: TimingStudy) -> Iterator[TimingPiece]:
    """Yield everything that is timed."""
    for corpus in study.corpora:
        for backend in BACKENDS:
            for n_topics in study.topics:
                yield TimingPiece(corpus, backend, n_topics)


def timing_corpus(
    study: TimingStudy, piece: TimingPiece, data: str | os.PathLike[str] | None
) -> Corpus:
    """Return the documents that are swept: fewer for the twins in Python."""
    n_docs = study.n_docs if piece.backend == "native" else study.twin_docs[piece.corpus]
    return first_docs(read_real_corpus(piece.corpus, data), n_docs)


def missing_pieces(study: TimingStudy, out: Path) -> list[TimingPiece]:
    """Return what has not been timed yet."""
    files = _files(study, out)
    return [piece for piece in timing_pieces(study) if not files.has(piece.name)]


def run_timing(
    study: TimingStudy,
    out: Path,
    data: str | os.PathLike[str] | None,
    on_piece: Callable[[TimingPiece], None],
) -> list[Timing]:
    """Time what is missing, one piece after the other, and return all.

    Nothing runs beside it: two sweeps at once would share the memory and the clock of the machine.
    """
    files = _files(study, out)
    files.prepare()
    for piece in missing_pieces(study, out):
        timing = time_sweeps(
            piece.corpus,
            timing_corpus(study, piece, data),
            piece.n_topics,
            study.samplers,
            backend=piece.backend,
            repeats=_repeats(study, piece),
            seed=study.seed,
        )
        files.write(piece.name, {"seconds": timing.seconds})
        on_piece(piece)
    return [
        Timing(
            piece.corpus,
            piece.backend,
            piece.n_topics,
            study.samplers,
            **files.read(piece.name, {"seconds": (len(study.samplers), _repeats(study, piece))}),
        )
        for piece in timing_pieces(study)
    ]


def _repeats(study: TimingStudy, piece: TimingPiece) -> int:
    return study.repeats if piece.backend == "native" else study.twin_repeats


def _files(study: TimingStudy, out: Path) -> RunFiles:
    return RunFiles(out / study.name / "runs", study.settings())
