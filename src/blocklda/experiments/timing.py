"""Figure 3: seconds per sweep against the number of topics, kernels and their twins in Python."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.experiments.data import read_real_corpus
from blocklda.experiments.run_files import RunFiles
from blocklda.experiments.studies import ALPHA, BETA, TimingStudy
from blocklda.models.lda.chain import Chain
from blocklda.support.arrays import AnyInts, Floats

__all__ = [
    "BACKENDS",
    "WARM_UP",
    "Timing",
    "TimingPiece",
    "first_docs",
    "missing_pieces",
    "run_timing",
    "time_sweeps",
    "timing_corpus",
]

BACKENDS = ("native", "python")

WARM_UP = 10
"""Sweeps between the random start and the state that all samplers are timed from: topics are
then neither as spread as at random nor as settled as after hundreds of sweeps."""

WARM_UP_SAMPLER = "sparse"


@dataclass(frozen=True)
class Timing:
    """Seconds per sweep on one corpus with one number of topics, shape (samplers, repeats)."""

    corpus: str
    backend: str
    n_topics: int
    samplers: tuple[str, ...]
    seconds: Floats

    def median(self, sampler: str) -> float:
        """Return the median over repeats."""
        return float(np.median(self.seconds[self.samplers.index(sampler)]))

    def ratio(self, sampler: str, base: str) -> float:
        """Return the median over repeats of the ratio to another sampler in the same round."""
        rows = self.seconds[[self.samplers.index(sampler), self.samplers.index(base)]]
        return float(np.median(rows[0] / rows[1]))


def time_sweeps(
    name: str,
    corpus: Corpus,
    n_topics: int,
    samplers: tuple[str, ...],
    *,
    backend: str,
    repeats: int,
    seed: int,
    on_sweep: Callable[[str], None] | None = None,
) -> Timing:
    """Time sweeps of samplers that take turns, all from one state.

    The first sweep of each is not counted: it builds the sampler's tables.
    """
    topics = _warm_state(corpus, n_topics, seed)
    chains = [
        Chain(
            corpus, n_topics, ALPHA, BETA, sampler=sampler, backend=backend, seed=seed, init=topics
        )
        for sampler in samplers
    ]
    seconds = np.zeros((len(samplers), repeats + 1))
    for r in range(repeats + 1):
        for s, chain in enumerate(chains):
            begin = time.perf_counter()
            chain.sweep()
            seconds[s, r] = time.perf_counter() - begin
            if on_sweep is not None:
                on_sweep(samplers[s])
    return Timing(name, backend, n_topics, samplers, seconds[:, 1:])


def _warm_state(corpus: Corpus, n_topics: int, seed: int) -> AnyInts:
    start = Chain(corpus, n_topics, ALPHA, BETA, sampler=WARM_UP_SAMPLER, seed=seed)
    start.sweep(WARM_UP)
    return start.assignments()


def first_docs(corpus: Corpus, n_docs: int | None) -> Corpus:
    """Return the first documents of a corpus, over the same vocabulary; None for all of them."""
    if n_docs is None or n_docs >= corpus.n_docs:
        return corpus
    return Corpus.from_matrix(corpus.to_matrix()[:n_docs], corpus.vocabulary)


class TimingPiece(NamedTuple):
    """What is timed at once: all samplers in turns, on one corpus with one number of topics."""

    corpus: str
    backend: str
    n_topics: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.corpus}-{self.backend}-{self.n_topics}"


def _timing_pieces(study: TimingStudy) -> Iterator[TimingPiece]:
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
    return [piece for piece in _timing_pieces(study) if not files.has(piece.name)]


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
        for piece in _timing_pieces(study)
    ]


def _repeats(study: TimingStudy, piece: TimingPiece) -> int:
    return study.repeats if piece.backend == "native" else study.twin_repeats


def _files(study: TimingStudy, out: Path) -> RunFiles:
    return RunFiles(out / study.name / "runs", study.settings())
