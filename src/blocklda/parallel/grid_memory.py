"""What a worker keeps in memory of a chain of `grid`: its groups of shards, which stay open."""

from __future__ import annotations

import threading
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.parallel.cluster import WorkersLost
from blocklda.parallel.plan import ShardedPlan
from blocklda.parallel.topic_files import read_topics
from blocklda.parallel.word_counts import WordCounts
from blocklda.parallel.worker_memory import RunPlace, Span, WorkerMemory, memory_of
from blocklda.support.arrays import Int32s

__all__ = ["AtWork", "GridMemory", "GroupOfShards", "grid_memory_of"]


@dataclass(frozen=True)
class GroupOfShards:
    """The documents of neighbouring shards, and where the tokens of each shard are."""

    corpus: Corpus
    slices: list[slice]


@dataclass
class AtWork:
    """The topics of a group of shards in one attempt at a sweep."""

    sweep: int
    attempt: str
    topics: Int32s
    next_step: int = 0
    n_steps: int = 0

    def done(self, step: int, n_steps: int) -> None:
        """Note that a step of the sweep is done."""
        self.next_step = step + 1
        self.n_steps += n_steps


class GridMemory:
    """The part of a chain that is in this process."""

    def __init__(self, memory: WorkerMemory) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._topics: dict[int, tuple[int, Int32s]] = {}
        self._at_work: dict[int, AtWork] = {}
        self._last: dict[int, tuple[int, WordCounts]] = {}

    @property
    def folder(self) -> Path:
        """Where the chain is kept."""
        return self._memory.folder

    @property
    def plan(self) -> ShardedPlan:
        """What is known of the chain."""
        return self._memory.plan

    def group_of(self, shard: int) -> int:
        """Return the group that a shard belongs to."""
        return bisect_right([shards.start for shards in self.plan.shard_groups], shard) - 1

    def group(self, number: int) -> GroupOfShards:
        """Return the documents of a group of shards."""
        shards = self.plan.shard_groups[number]
        ends = np.cumsum([0, *(self.plan.corpus.shards[one].n_tokens for one in shards)])
        slices = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        return GroupOfShards(self._memory.shards.joined(shards), slices)

    def topics(self, group: int, sweep: int) -> Int32s:
        """Return the topics of a group of shards after a sweep, to be read only."""
        kept = self._topics.get(group)
        if kept is not None and kept[0] == sweep:
            return kept[1]
        shards = self.plan.shard_groups[group]
        return np.concatenate(
            [read_topics(self.folder, self.plan, shard, sweep)[0] for shard in shards]
        )

    def work(self, group: int, sweep: int, attempt: str, step: int) -> AtWork:
        """Return the topics of a group of shards before a step of a sweep."""
        if step == 0:
            topics = self.topics(group, sweep - 1)
            with self._lock:
                self._at_work[group] = AtWork(sweep, attempt, topics.copy())
        found = self._at_work.get(group)
        if found is None or (found.attempt, found.next_step) != (attempt, step):
            raise WorkersLost("the topics of a group of shards are gone")
        return found

    def keep_topics(self, group: int, at_work: AtWork) -> None:
        """Remember the topics of a group of shards after a sweep, which is done."""
        at_work.topics.setflags(write=False)
        with self._lock:
            if self._at_work.get(group) is at_work:
                del self._at_work[group]
            self._topics[group] = at_work.sweep, at_work.topics

    def keep_last_counts(self, words: int, sweep: int, counts: WordCounts) -> None:
        """Keep n_vk of a group of words at the end of a sweep."""
        self._last[words] = sweep, counts._replace(n_sent=0)

    def last_counts(self, words: int, sweep: int) -> WordCounts | None:
        """Return n_vk of a group of words at the end of a sweep, None if it is not here."""
        kept = self._last.get(words)
        return None if kept is None or kept[0] != sweep else kept[1]

    def keep_counts(self, group: int, sweep: int, counts: WordCounts) -> None:
        """Keep n_vk of a group of shards until all groups of words were taken."""
        self._memory.keep_counts(group, sweep, counts)

    def take_counts(self, group: int, sweep: int, span: Span) -> WordCounts | None:
        """Return n_vk of some words in a group of shards, None if there are none of that sweep."""
        return self._memory.take_counts(group, sweep, span)


_lock = threading.Lock()


def grid_memory_of(place: RunPlace) -> GridMemory:
    """Return what this process has of a chain; it goes when the chain's other memory does."""
    memory = memory_of(place)
    with _lock:
        found = memory.of_sampler
        if not isinstance(found, GridMemory):
            found = memory.of_sampler = GridMemory(memory)
        return found
