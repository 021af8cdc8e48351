"""One process instead of a cluster, for a corpus that is larger than its memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.parallel.disk_sweeps import DiskSweeps
from blocklda.parallel.open_shards import OpenShards
from blocklda.parallel.plan import ShardedPlan
from blocklda.parallel.shard_memory import process_bytes
from blocklda.support.checks import n_workers as checked_n_workers
from blocklda.support.errors import InputError
from blocklda.support.memory import available_bytes, require_memory
from blocklda.support.messages import Given

__all__ = ["OneProcess", "one_process"]

SHARE_FOR_SHARDS = 0.5
"""Of the memory that is left beside φ, shards that stay open take at most so much: a cache of
their files is worth more to the rest of the machine."""


def one_process(client: Any, n_workers: int | None, n_jobs: int | None) -> OneProcess:
    """Return this process, unless a cluster is asked for too."""
    if client is not None or n_workers is not None:
        given = Given("n_workers", n_workers) if client is None else Given("client", client)
        raise InputError.of(
            "{given} is for a cluster, and {out_of_core=True} uses this process alone: [leave one "
            "of the two out]."
        ).where(given=given)
    return OneProcess(checked_n_workers(-1 if n_jobs is None else n_jobs))


class OneProcess:
    """Does everything in this process, in some threads."""

    def __init__(self, n_threads: int) -> None:
        self.goes_on = ""
        self._n_threads = n_threads
        self._shards: OpenShards | None = None
        self._needed = 0

    def require_memory_for(
        self, corpus: ShardedCorpus, n_topics: int, sampler: str, n_chains: int
    ) -> None:
        """Refuse a fit whose φ and largest shard do not fit into memory."""
        self._needed = process_bytes(corpus, n_topics)
        require_memory(
            self._needed,
            f"φ of {corpus.n_words:,} words and {n_topics:,} topics with the largest shard",
            "use more and smaller shards, fewer topics or fewer words",
        )

    def each(
        self, do: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], sizes: Sequence[int]
    ) -> list[Any]:
        """Return what a function returns for each shard, one after the other."""
        return [do(*one) for one in arguments]

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        """Refuse a Dask collection."""
        raise InputError.of(
            "a Dask bag or dataframe is for a cluster, and {out_of_core=True} uses none: [write it "
            "to Parquet files, or leave {out_of_core} out]."
        )

    def sweeps(self, plan: ShardedPlan, folder: Path) -> DiskSweeps:
        """Return what sweeps a chain whose files are in a folder."""
        if self._shards is None:
            left = max(0, (available_bytes() or 0) - self._needed)
            self._shards = OpenShards(plan.corpus, int(SHARE_FOR_SHARDS * left))
        return DiskSweeps(plan, folder, self._shards, self._n_threads)

    def forget(self, plan: ShardedPlan) -> None:
        """Give back the memory of a run."""
        self._shards = None

    def bytes_sent(self) -> int:
        """Return 0: nothing travels."""
        return 0
