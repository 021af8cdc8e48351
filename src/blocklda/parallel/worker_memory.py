"""What a worker keeps in memory from one task to the next; all of it can be read again.

Arrays that were put here are never changed: a task that a worker continues although nobody waits
for it any more can disturb nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blocklda.models.lda.samplers.partially_collapsed.phi import Phi
from blocklda.models.lda.samplers.sweep_streams import SweepKey
from blocklda.parallel.open_shards import OpenShard, OpenShards
from blocklda.parallel.plan import ShardedPlan, read_plan
from blocklda.parallel.topic_files import read_topics
from blocklda.parallel.word_counts import WordCounts
from blocklda.support.arrays import Floats, Int32s
from blocklda.support.errors import FileFormatError

__all__ = [
    "PhiPart",
    "RunPlace",
    "Span",
    "WorkerMemory",
    "forget_run",
    "memory_of",
]

RUNS_KEPT = 16
"""Every chain is a run here. A client that was killed tells nobody to forget its own: the oldest is
forgotten. Of more chains than these, topics are read from their files in every sweep."""

Span = tuple[int, int]
"""The first of the pieces of words that a task is for, and the one after the last."""


class RunPlace(NamedTuple):
    """Where a run is kept, its name, and the bytes that its shards may have in a worker."""

    folder: str
    run: str
    room: int | None = None


class PhiPart(NamedTuple):
    """φ of some neighbouring words: the first, their rows, and the sums Σ_k α_k φ_kv^j."""

    first: int
    rows: Floats
    alpha_powers: Floats


class WorkerMemory:
    """The part of a chain that is in this process."""

    def __init__(self, place: RunPlace) -> None:
        self.folder = Path(place.folder)
        self.plan: ShardedPlan = read_plan(self.folder)
        if self.plan.run != place.run:
            raise FileFormatError.of(
                "{place.folder} holds another run by now: [give each fit a {checkpoint=} of its "
                "own]."
            ).where(place=place)
        self.shards = _shards_of(self.plan, place.room)
        self._lock = threading.Lock()
        self._topics: dict[int, tuple[int, Int32s]] = {}
        self._counts: dict[int, tuple[int, WordCounts, int]] = {}
        self._gammas: dict[Span, tuple[SweepKey, Floats]] = {}
        self.of_sampler: object = None
        """What a sampler other than `partially-collapsed` keeps beside this."""

    def shard(self, number: int) -> OpenShard:
        """Return the documents of a shard."""
        return self.shards[number]

    def topics(self, shard: int, sweep: int) -> Int32s:
        """Return the topics of a shard after a sweep, to be read only."""
        kept = self._topics.get(shard)
        if kept is not None and kept[0] == sweep:
            return kept[1]
        topics, _ = read_topics(self.folder, self.plan, shard, sweep)
        self.keep_topics(shard, sweep, topics)
        return topics

    def keep_topics(self, shard: int, sweep: int, topics: Int32s) -> None:
        """Remember the topics of a shard that stays; those that others have since are forgotten."""
        topics.setflags(write=False)
        stays = self.shards.stays(shard)
        with self._lock:
            self._topics.pop(shard, None)
            if stays:
                self._topics[shard] = (sweep, topics)
            for other in [one for one, (of, _) in self._topics.items() if of < sweep - 1]:
                del self._topics[other]
                self.shards.forget(other)

    def keep_counts(self, shard: int, sweep: int, counts: WordCounts) -> None:
        """Keep n_vk of a shard until all spans of words were taken."""
        with self._lock:
            self._counts[shard] = (sweep, counts, len(self.plan.words))

    def take_counts(self, shard: int, sweep: int, span: Span) -> WordCounts | None:
        """Return n_vk of some words in a shard, None if there are none of that sweep."""
        with self._lock:
            kept = self._counts.get(shard)
            if kept is None or kept[0] != sweep:
                return None
            _, counts, n_left = kept
            n_left -= span[1] - span[0]
            self._counts[shard] = (sweep, counts, n_left)
            if n_left <= 0:
                del self._counts[shard]
        pieces = self.plan.words[slice(*span)]
        return counts.of_words(pieces[0][0], pieces[-1][1])

    def keep_gammas(self, span: Span, key: SweepKey, rows: Floats) -> None:
        """Keep gamma draws until they become φ; what is there of earlier sweeps goes."""
        with self._lock:
            _phi.clear()
            self._gammas = {one: kept for one, kept in self._gammas.items() if kept[0] == key}
            self._gammas[span] = (key, rows)

    def take_gammas(self, span: Span, key: SweepKey) -> Floats | None:
        """Return gamma draws to whoever asks first, None if there are none of that sweep."""
        with self._lock:
            kept = self._gammas.pop(span, None)
        return None if kept is None or kept[0] != key else kept[1]

    def phi(self, key: str, parts: Sequence[PhiPart]) -> Phi:
        """Return φ of all words in one table, put together once a sweep."""
        name = f"{self.plan.run} {key}"
        with _phi_lock:
            found = _phi.get(name)
            if found is None:
                _phi.clear()  # before the new one is made
                rows = _below_each_other([part.rows for part in parts])
                powers = _below_each_other([part.alpha_powers for part in parts])
                found = _phi[name] = Phi(rows, powers)
            return found


def _below_each_other(parts: Sequence[Floats]) -> Floats:
    """Return one table, aligned as kernels want it; a single part that is so is taken as it is."""
    return (
        np.require(parts[0], requirements=("C", "A")) if len(parts) == 1 else np.concatenate(parts)
    )


_runs: dict[str, WorkerMemory] = {}
_stores: dict[str, OpenShards] = {}
"""Open shards by the corpus: the chains of a fit share them."""
_phi: dict[str, Phi] = {}
"""φ of the sweep that is under way: chains take turns, so there is one."""
_lock, _phi_lock = threading.Lock(), threading.Lock()


def memory_of(place: RunPlace) -> WorkerMemory:
    """Return what this process has of a run; its plan is read at the first call."""
    with _lock:
        found = _runs.get(place.run)
        if found is None:
            found = _runs[place.run] = WorkerMemory(place)
            while len(_runs) > RUNS_KEPT:
                _forget(next(iter(_runs)))
        return found


def forget_run(run: str) -> None:
    """Give back the memory of a run."""
    with _lock:
        _forget(run)
    with _phi_lock:
        _phi.clear()


def _shards_of(plan: ShardedPlan, room: int | None) -> OpenShards:
    name, n_chains = plan.corpus.fingerprint, int(plan.settings.get("n_chains", 1))
    if name not in _stores:
        _stores[name] = OpenShards(plan.corpus, room, n_chains)
    return _stores[name]


def _forget(run: str) -> None:
    gone = _runs.pop(run, None)
    if gone is not None and all(one.shards is not gone.shards for one in _runs.values()):
        _stores.pop(gone.plan.corpus.fingerprint, None)
