"""The topics of a shard after a sweep, in a file: what is left if its worker is killed."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import numpy as np

from blocklda.files.archive import open_archive, write_archive
from blocklda.models.lda.draw import topic_dtype
from blocklda.parallel.plan import ShardedPlan
from blocklda.support.arrays import Int32s
from blocklda.support.checks import whole_number

__all__ = ["read_topics", "remove_old_topics", "topics_file", "write_topics"]

KIND, VERSION = "blocklda shard topics", 1

GENERATIONS = 3
"""A sweep that is under way needs the one before; one more is for a client's file that turns out
to be damaged."""

_NAME = re.compile(r"topics-(\d{6,9})-(\d{6,12})\.npz")


def topics_file(folder: Path, shard: int, sweep: int) -> Path:
    """Return where the topics of a shard after a sweep are."""
    return folder / f"topics-{shard + 1:06d}-{sweep:06d}.npz"


def write_topics(
    folder: Path, plan: ShardedPlan, shard: int, sweep: int, topics: Int32s, n_steps: int
) -> None:
    """Write the topics aside, sync them, and give the file its name."""
    header = {
        "kind": KIND,
        "version": VERSION,
        "run": plan.run,
        "shard": shard,
        "sweep": sweep,
        "n_steps": n_steps,
    }
    smallest = topics.astype(topic_dtype(plan.n_topics))
    write_archive(topics_file(folder, shard, sweep), header, {"topics": smallest})


def read_topics(folder: Path, plan: ShardedPlan, shard: int, sweep: int) -> tuple[Int32s, int]:
    """Return the topics of a shard after a sweep, and the simulation steps of that sweep."""
    path = topics_file(folder, shard, sweep)
    with open_archive(path, KIND, VERSION, "a shard's topics") as archive, archive.reading():
        said = [archive.header[name] for name in ("run", "shard", "sweep")]
        if said != [plan.run, shard, sweep]:
            raise archive.damaged("it is of another run, shard or sweep")
        n_tokens = plan.corpus.shards[shard].n_tokens
        topics = archive.shaped("topics", topic_dtype(plan.n_topics), (n_tokens,))
        if topics.max(initial=0) >= plan.n_topics:
            raise archive.damaged("it has topics that are none")
        return topics.astype(np.int32), whole_number("n_steps", archive.header["n_steps"], 0)


def remove_old_topics(folder: Path, plan: ShardedPlan, shard: int, sweep: int) -> None:
    """Remove what no sweep after this one needs; draws stay. It does not matter if that fails.

    Draws stay that the oldest sweep which is left had: a run may have to go back to it.
    """
    oldest = sweep - GENERATIONS
    with suppress(OSError):
        for path in folder.glob(f"topics-{shard + 1:06d}-*.npz"):
            match = _NAME.fullmatch(path.name)
            if match is None or int(match[2]) > oldest:
                continue
            if not plan.keeps_topics(int(match[2]), oldest):
                path.unlink()
