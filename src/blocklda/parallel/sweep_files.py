"""The client's part of a run on shards, in files: its generator and what was kept of its sweeps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from blocklda.files.archive import open_archive, write_archive
from blocklda.files.chain_file import restore_generator
from blocklda.parallel.plan import ShardedPlan
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["SweepRecord", "read_records", "write_record"]

KIND, VERSION = "blocklda sharded sweep", 1
SUMS_KIND, SUMS_VERSION = "blocklda topic sums", 1

GENERATIONS = 2
"""A file that turns out to be damaged leaves the one before."""

_NAME = re.compile(r"(sweep|sums)-(\d{6,12})\.npz")


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


def write_record(folder: Path, plan: ShardedPlan, record: SweepRecord) -> None:
    """Write the record of a sweep; the sums, which are large, only when they are new."""
    last_kept = record.kept[-1] if record.kept else None
    if last_kept == record.n_sweeps and record.word_topic_sum is not None:
        write_archive(
            _file(folder, "sums", record.n_sweeps),
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
    write_archive(_file(folder, "sweep", record.n_sweeps), header, arrays)
    _tidy(folder, record)


def read_records(folder: Path, plan: ShardedPlan) -> Iterator[SweepRecord | FileFormatError]:
    """Yield the records there are, the latest first; for one that cannot be read, why."""
    try:
        matches = [_NAME.fullmatch(path.name) for path in folder.iterdir()]
    except OSError as error:
        raise InputError(f"cannot read {folder}: {error.strerror or error}.") from error
    for sweep in sorted((int(m[2]) for m in matches if m and m[1] == "sweep"), reverse=True):
        try:
            yield _read(folder, plan, sweep)
        except FileFormatError as error:
            yield error


def _read(folder: Path, plan: ShardedPlan, sweep: int) -> SweepRecord:
    path, what = _file(folder, "sweep", sweep), "a sweep of a sharded run"
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
            word_topic_sum=_read_sums(folder, plan, kept) if kept else None,
            n_sent=archive.shaped("n_sent", np.int64, (sweep,)).tolist(),
        )


def _read_sums(folder: Path, plan: ShardedPlan, kept: list[int]) -> Floats:
    path = _file(folder, "sums", kept[-1])
    with open_archive(path, SUMS_KIND, SUMS_VERSION, "sums of topics") as archive:
        with archive.reading():
            if archive.header["run"] != plan.run:
                raise archive.damaged("it is of another run")
        sums = archive.shaped("sums", np.float64, (plan.n_words, plan.n_topics))
        if not ((sums >= 0).all() and np.allclose(sums.sum(axis=0), len(kept), rtol=1e-6)):
            raise archive.damaged("its averages are no probabilities")
        return sums


def _tidy(folder: Path, record: SweepRecord) -> None:
    """Remove older generations; it does not matter if that fails."""
    oldest = record.n_sweeps - GENERATIONS + 1
    sums = [sweep for sweep in record.kept if sweep <= oldest]
    first_sums = sums[-1] if sums else 0
    with suppress(OSError):
        for path in folder.iterdir():
            match: Any = _NAME.fullmatch(path.name)
            if match and int(match[2]) < (oldest if match[1] == "sweep" else first_sums):
                path.unlink()


def _file(folder: Path, kind: str, sweep: int) -> Path:
    return folder / f"{kind}-{sweep:06d}.npz"
