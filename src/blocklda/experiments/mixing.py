"""Figures 1 and 2: samplers from the same starts, many starts side by side, resumed if stopped."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.evaluate.compare import ComparisonPlan
from blocklda.evaluate.compare_result import Comparison
from blocklda.evaluate.compare_start import StartCurves, StartRun, Turn
from blocklda.experiments.data import read_real_corpus
from blocklda.experiments.run_files import RunFiles
from blocklda.experiments.studies import ALPHA, BETA, MixingStudy
from blocklda.experiments.timing import first_docs
from blocklda.simulate import bars
from blocklda.support.errors import FileFormatError

__all__ = ["missing_starts", "mixing_plan", "run_mixing", "start_files", "study_corpus"]

REPORT_SECONDS = 0.2
"""Workers say how far they are about this often."""

PUT_ASIDE_SECONDS = 60.0
"""Seconds between saves, and so how much work is lost at most when the study is stopped."""

Data = str | os.PathLike[str] | None
OnSweeps = Callable[[int], None]


def study_corpus(study: MixingStudy, data: Data) -> Corpus:
    """Return the corpus of a study: drawn from the bars, or read."""
    if study.name == "simulated":
        return bars(study.n_docs or 2000, alpha=ALPHA, seed=study.seed).corpus
    return first_docs(read_real_corpus(study.name, data), study.n_docs)


def mixing_plan(study: MixingStudy, data: Data) -> ComparisonPlan:
    """Return the comparison that the study is."""
    corpus = study_corpus(study, data)
    return ComparisonPlan.create(
        corpus,
        study.samplers,
        study.n_topics,
        alpha=ALPHA,
        beta=BETA,
        n_sweeps=study.n_sweeps,
        n_starts=study.n_starts,
        heldout_docs=slice(corpus.n_docs - study.n_heldout_docs, None),
        window=study.window,
        seed=study.seed,
        opened=study.opened,
    )


def start_files(study: MixingStudy, out: Path) -> RunFiles:
    """Return where the starts of a study are kept."""
    return RunFiles(out / study.name / "runs", study.settings())


def missing_starts(study: MixingStudy, out: Path) -> list[int]:
    """Return the starts that have not been run yet."""
    files = start_files(study, out)
    return [r for r in range(study.n_starts) if not files.has(_piece(r))]


def run_mixing(
    study: MixingStudy, out: Path, data: Data, n_jobs: int, on_sweeps: OnSweeps
) -> Comparison:
    """Run the starts that are missing, in as many processes, and return all of them.

    ``on_sweeps`` is called with the number of rounds of sweeps since its last call. Ctrl-C ends
    the starts under way; those that are whole are kept, and of others what was put aside.
    """
    plan = mixing_plan(study, data)  # errors are raised here, not in a worker
    files = start_files(study, out)
    files.prepare()
    missing = missing_starts(study, out)
    if missing:
        _run_starts(study, out, data, min(n_jobs, len(missing)), missing, on_sweeps)
    starts = [
        StartCurves(**files.read(_piece(r), plan.curve_shapes)) for r in range(study.n_starts)
    ]
    return plan.joined(starts)


def _piece(r: int) -> str:
    return f"start-{r:02d}"


def _under_way(r: int) -> str:
    return f"start-{r:02d}-under-way"


# --- in this process


def _run_starts(
    study: MixingStudy, out: Path, data: Data, n_jobs: int, missing: list[int], on_sweeps: OnSweeps
) -> None:
    # Fresh processes: a fork would copy the caller's threads.
    context = multiprocessing.get_context("spawn")
    done: Queue[tuple[int, int]] = context.Queue()
    stop = context.Event()
    with ProcessPoolExecutor(
        n_jobs, context, _Worker.begin, (study, out, data, done, stop)
    ) as pool:
        try:
            work = {pool.submit(_Worker.run, r): r for r in missing}
            _watch(work, done, _Tally(on_sweeps, study.n_sweeps))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _watch(work: dict[Future[None], int], done: Queue[tuple[int, int]], tally: _Tally) -> None:
    """Wait for all starts; an error of any comes out here."""
    pending = set(work)
    while pending:
        ended, pending = wait(pending, REPORT_SECONDS, FIRST_EXCEPTION)
        while True:
            try:
                tally.is_at(*done.get_nowait())
            except queue.Empty:
                break
        for future in ended:
            future.result()
            tally.is_at(work[future], tally.n_sweeps)


class _Tally:
    """How far each start is; what workers say may come late."""

    def __init__(self, on_sweeps: OnSweeps, n_sweeps: int) -> None:
        self.n_sweeps = n_sweeps
        self._on_sweeps = on_sweeps
        self._seen: dict[int, int] = {}

    def is_at(self, r: int, sweep: int) -> None:
        """Report the number of sweeps that a start has done."""
        new = sweep - self._seen.get(r, 0)
        if new > 0:
            self._seen[r] = sweep
            self._on_sweeps(new)


# --- in a worker


class _Worker:
    """The process of some starts: the plan is made once for all of them."""

    plan: ComparisonPlan
    files: RunFiles
    done: Queue[tuple[int, int]]
    stop: Event

    @classmethod
    def begin(
        cls, study: MixingStudy, out: Path, data: Data, done: Queue[tuple[int, int]], stop: Event
    ) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this
        cls.plan, cls.files = mixing_plan(study, data), start_files(study, out)
        cls.done, cls.stop = done, stop

    @classmethod
    def run(cls, r: int) -> None:
        start = _begun(cls.plan, cls.files, r)
        report = _Report(cls.done, cls.stop)
        put_aside = time.perf_counter()
        while start.n_done < start.n_sweeps:
            if not report.goes_on_after(start.turn()):
                return
            if start.is_between_windows and time.perf_counter() - put_aside > PUT_ASIDE_SECONDS:
                _put_aside(start, cls.files)
                put_aside = time.perf_counter()
        cls.files.write(_piece(r), start.curves()._asdict())
        cls.files.remove(_under_way(r))


def _begun(plan: ComparisonPlan, files: RunFiles, r: int) -> StartRun:
    """Return a start as far as it was put aside before, or at its beginning."""
    start = plan.start(r)
    if files.has(_under_way(r)):
        # A file that cannot be read costs the sweeps before it, which are done again.
        with suppress(FileFormatError), files.opened(_under_way(r)) as archive:
            start.go_on_from(archive)
    return start


def _put_aside(start: StartRun, files: RunFiles) -> None:
    facts, arrays = start.to_parts()
    files.write(_under_way(start.number), arrays, facts)


class _Report:
    """Says now and then how far a start is."""

    def __init__(self, done: Queue[tuple[int, int]], stop: Event) -> None:
        self._done, self._stop = done, stop
        self._last = time.perf_counter()

    def goes_on_after(self, turn: Turn) -> bool:
        """Record a turn; return False if the start is no longer wanted."""
        if time.perf_counter() - self._last > REPORT_SECONDS:
            self._done.put((turn.start, turn.sweep))
            self._last = time.perf_counter()
        return not self._stop.is_set()
