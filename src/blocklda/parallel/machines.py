"""What a fit on shards asks of who does the work: a cluster, or this process alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.models.lda.samplers.sweep_streams import SweepKey
from blocklda.parallel.plan import Learned, ShardedPlan
from blocklda.parallel.tasks import SweepFacts
from blocklda.parallel.word_counts import WordCounts
from blocklda.support.arrays import Ints

__all__ = ["Machines", "Sweeps"]


class Sweeps(Protocol):
    """Sweeps of a chain, one after the other."""

    def start(self) -> None:
        """Draw the topics of all shards before the first sweep."""

    def missing(self, sweep: int) -> str | None:
        """Return what is wrong with the files of a sweep, None if all shards have theirs."""

    def sweep(self, sweep: int, key: SweepKey, learned: Learned | None) -> SweepFacts:
        """Go from the sweep before to this one; its topics are in files when this returns."""

    def counts(self, sweep: int) -> Iterable[tuple[int, WordCounts]]:
        """Yield first words, and n_vk of the words from there on after a sweep."""

    def topics_of(self, sweep: int, tokens: Sequence[Ints]) -> Sequence[NDArray[Any]]:
        """Return the topics of some tokens of the first shards after a sweep."""


class Machines(Protocol):
    """Who does the work."""

    goes_on: str
    """What to do to go on after they went away."""

    def require_memory_for(
        self, corpus: ShardedCorpus, n_topics: int, sampler: str, n_chains: int
    ) -> None:
        """Refuse a fit that they have not the memory for."""

    def each(
        self, do: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], sizes: Sequence[int]
    ) -> list[Any]:
        """Return what a function returns for each shard; ``sizes`` are their tokens."""

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        """Compute parts of a Dask collection."""

    def sweeps(self, plan: ShardedPlan, folder: Path) -> Sweeps:
        """Return what sweeps a chain whose files are in a folder."""

    def forget(self, plan: ShardedPlan) -> None:
        """Give back the memory of a run."""

    def bytes_sent(self) -> int:
        """Return the bytes that workers have sent to each other so far."""
