"""The client's part of a run on shards, in files: its generator and what was kept of its sweeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from blocklda.files.archive import open_archive, write_archive
from blocklda.files.chain_file import restore_generator
from blocklda.files.generations import Generations
from blocklda.parallel.plan import ShardedPlan
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError

__all__ = ["SweepFiles", "SweepRecord"]

KIND, VERSION = "blocklda sharded sweep", 1
SUMS_KIND, SUMS_VERSION = "blocklda topic sums", 1

GENERATIONS = 2
"""A file that turns out to be damaged leaves the one before."""


@dataclass
class SweepRecord:
    """A run after some sweeps, but for the topics of its tokens."""

    rng: np.random.Generator
    n_sweeps: int = 0
    n_steps: int = 0
    seconds: float = 0.0
    log_posterior: list[float] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    """Sweeps that were kept."""
    topic_sizes: list[Ints] = field(default_factory=list)
    """n_k at these."""
    word_topic_sum: Floats | None = None
    """φ̂ added up over these, shape (words, topics)."""
    n_sent: list[int] = field(default_factory=list)
    """Bytes of counts that were added up, by sweep."""


class HasRecord(Protocol):
    """A run on shards, as far as its files need it."""

    @property
    def record(self) -> SweepRecord:
        """The run after some sweeps."""


class SweepFiles:
    """The files of a run's sweeps: an observer that writes one after every sweep."""

    def __init__(self, folder: Path, plan: ShardedPlan) -> None:
        self._plan = plan
        self._files = Generations(folder, ("sweep", "sums"))
        self._written: int | None = None

    def next_look(self, sweep: int) -> int:
        """Return the next sweep: each is written, since a worker may be lost in the one after."""
        return sweep + 1

    def look(self, run: HasRecord) -> None:
        """Write where a run is, if that is not written yet."""
        if run.record.n_sweeps != self._written:
            self.write(run.record)

    def write(self, record: SweepRecord) -> None:
        """Write the record of a sweep; the sums, which are large, only when they are new."""
        plan, last_kept = self._plan, record.kept[-1] if record.kept else None
        if last_kept == record.n_sweeps and record.word_topic_sum is not None:
            write_archive(
                self._files.path("sums", record.n_sweeps),
                {"kind": SUMS_KIND, "version": SUMS_VERSION, "run": plan.run},
                {"sums": record.word_topic_sum},
            )
        header = {
            "kind": KIND,
            "version": VERSION,
            "run": plan.run,
            "n_sweeps": record.n_sweeps,
            "n_steps": record.n_steps,
            "seconds": record.seconds,
            "generator": record.rng.bit_generator.state,
        }
        arrays = {
            "log_posterior": np.array(record.log_posterior, dtype=np.float64),
            "kept": np.array(record.kept, dtype=np.int64),
            "topic_sizes": np.array(record.topic_sizes, dtype=np.int64).reshape(-1, plan.n_topics),
            "n_sent": np.array(record.n_sent, dtype=np.int64),
        }
        write_archive(self._files.path("sweep", record.n_sweeps), header, arrays)
        self._written = record.n_sweeps
        self._tidy(record)

    def latest(
        self,
        is_wrong: Callable[[int], str | None] = lambda sweep: None,
        passed_over: Callable[[SweepRecord], str] | None = None,
    ) -> SweepRecord | None:
        """Return the record of the latest sweep that is whole; None if there is no file at all.

        ``is_wrong`` says what is wrong with the other files of a sweep, None if nothing is.
        """

        def read(sweep: int) -> SweepRecord:
            record = _read(self._files, self._plan, sweep)
            wrong = is_wrong(sweep)
            if wrong is not None:
                raise FileFormatError(wrong)
            return record

        return self._files.latest("sweep", read, passed_over=passed_over, stacklevel=5)

    def _tidy(self, record: SweepRecord) -> None:
        """Remove older generations, but the sums that the oldest that is left needs."""
        oldest = max(0, record.n_sweeps - GENERATIONS + 1)
        needed = [sweep for sweep in record.kept if sweep <= oldest][-1:]
        sums = {*needed, *(sweep for sweep in record.kept if sweep > oldest)}
        names = {Generations.name("sums", sweep) for sweep in sums}
        sweeps = range(oldest, record.n_sweeps + 1)
        self._files.tidy({*names, *(Generations.name("sweep", sweep) for sweep in sweeps)})


def _read(files: Generations, plan: ShardedPlan, sweep: int) -> SweepRecord:
    path, what = files.path("sweep", sweep), "a sweep of a sharded run"
    with open_archive(path, KIND, VERSION, what) as archive, archive.reading():
        header = archive.header
        if [header["run"], header["n_sweeps"]] != [plan.run, sweep]:
            raise archive.damaged("it is of another run or sweep")
        kept = archive.array("kept", np.int64, 1).tolist()
        if kept != [one for one in range(1, sweep + 1) if plan.schedule.keeps(one)]:
            raise archive.damaged("the sweeps of its draws are not those of its schedule")
        sizes = archive.shaped("topic_sizes", np.int64, (len(kept), plan.n_topics))
        if (sizes < 0).any() or (sizes.sum(axis=1) != plan.corpus.n_tokens).any():
            raise archive.damaged("the sizes of its topics do not add up")
        return SweepRecord(
            rng=restore_generator(header["generator"]),
            n_sweeps=sweep,
            n_steps=whole_number("n_steps", header["n_steps"], 0),
            seconds=float(header["seconds"]),
            log_posterior=archive.shaped("log_posterior", np.float64, (sweep,)).tolist(),
            kept=kept,
            topic_sizes=list(sizes),
            word_topic_sum=_read_sums(files, plan, kept) if kept else None,
            n_sent=archive.shaped("n_sent", np.int64, (sweep,)).tolist(),
        )


def _read_sums(files: Generations, plan: ShardedPlan, kept: list[int]) -> Floats:
    path = files.path("sums", kept[-1])
    with open_archive(path, SUMS_KIND, SUMS_VERSION, "sums of topics") as archive:
        with archive.reading():
            if archive.header["run"] != plan.run:
                raise archive.damaged("it is of another run")
        sums = archive.shaped("sums", np.float64, (plan.n_words, plan.n_topics))
        if not ((sums >= 0).all() and np.allclose(sums.sum(axis=0), len(kept), rtol=1e-6)):
            raise archive.damaged("its averages are no probabilities")
        return sums
