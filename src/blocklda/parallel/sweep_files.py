"""The client's part of a run on shards, in files: its generator and what was kept of its sweeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from blocklda.files.archive import Archive, open_archive, write_archive
from blocklda.files.chain_file import restore_generator
from blocklda.files.generations import Generations
from blocklda.models.base import LOG_PREDICTIVE
from blocklda.parallel.plan import Learned, ShardedPlan
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError

__all__ = ["SweepFiles", "SweepRecord"]

KIND, VERSION = "blocklda sharded sweep", 1
SUMS_KIND, SUMS_VERSION = "blocklda topic sums", 1

SCALARS = (LOG_PREDICTIVE, "beta")
"""Quantities that are one number for each draw."""

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
    learned: Learned | None = None
    """The priors after the last sweep, where they are learned."""
    values: dict[str, list[Any]] = field(default_factory=dict)
    """Other quantities than n_k at the kept sweeps, by name."""
    looks: list[dict[str, Any]] = field(default_factory=list)
    """What a stopping rule saw so far, in the first chain of a run."""


class SweepFiles:
    """The files of a chain's sweeps, one after every sweep: a worker may be lost in the next."""

    def __init__(self, folder: Path, plan: ShardedPlan) -> None:
        self._plan = plan
        self._files = Generations(folder, ("sweep", "sums"))

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
            "looks": record.looks,
            "values": sorted(record.values),
        }
        arrays = {
            "log_posterior": np.array(record.log_posterior, dtype=np.float64),
            "kept": np.array(record.kept, dtype=np.int64),
            "topic_sizes": np.array(record.topic_sizes, dtype=np.int64).reshape(-1, plan.n_topics),
            "n_sent": np.array(record.n_sent, dtype=np.int64),
            **{_stored(name): np.array(of, dtype=np.float64) for name, of in record.values.items()},
        }
        if record.learned is not None:
            arrays["alpha_now"] = record.learned.alpha
            if record.learned.beta is not None:
                arrays["beta_now"] = np.array([record.learned.beta])
        write_archive(self._files.path("sweep", record.n_sweeps), header, arrays)
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
            learned=_read_learned(archive, plan) if plan.learning.is_active else None,
            values={name: _read_values(archive, name, kept) for name in header.get("values", ())},
            looks=[dict(look) for look in header.get("looks", ())],
        )


def _stored(name: str) -> str:
    return f"value_{name}"


def _read_values(archive: Archive, name: str, kept: list[int]) -> list[Any]:
    n_axes = 1 if name in SCALARS else 2
    values = archive.array(_stored(name), np.float64, n_axes)
    if len(values) != len(kept):
        raise archive.damaged(f"its {name} is not that of its draws")
    return values.tolist() if n_axes == 1 else list(values)


def _read_learned(archive: Archive, plan: ShardedPlan) -> Learned:
    alpha = archive.shaped("alpha_now", np.float64, (plan.n_topics,))
    beta = None
    if plan.learning.beta != "none":
        beta = archive.shaped("beta_now", np.float64, (1,)).item()
    if not ((alpha > 0).all() and np.isfinite(alpha).all() and (beta is None or 0 < beta < np.inf)):
        raise archive.damaged("its priors are not positive numbers")
    return Learned(alpha, beta)


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
