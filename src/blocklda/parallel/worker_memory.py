"""What a worker keeps in memory from one task to the next; all of it can be read again.

Arrays that were put here are never changed: a task that a worker continues although nobody waits
for it any more can disturb nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.models.lda.samplers.partially_collapsed.documents import DocumentPiece, cut_documents
from blocklda.models.lda.samplers.partially_collapsed.phi import Phi
from blocklda.models.lda.samplers.sweep_streams import SweepKey
from blocklda.parallel.plan import ShardedPlan, read_plan
from blocklda.parallel.topic_files import read_topics
from blocklda.support.arrays import Floats, Int32s
from blocklda.support.errors import FileFormatError

__all__ = [
    "OpenShard",
    "PhiPart",
    "RunPlace",
    "Span",
    "WorkerMemory",
    "forget_run",
    "memory_of",
    "open_shard",
]

RUNS_KEPT = 4
"""A client that was killed tells nobody to forget its run: the oldest is forgotten."""

Span = tuple[int, int]
"""The first of the pieces of words that a task is for, and the one after the last."""


class RunPlace(NamedTuple):
    """Where a run is kept, and its name."""

    folder: str
    run: str


class PhiPart(NamedTuple):
    """φ of some neighbouring words: the first, their rows, and the sums Σ_k α_k φ_kv^j."""

    first: int
    rows: Floats
    alpha_powers: Floats


@dataclass(frozen=True)
class OpenShard:
    """The documents of a shard, cut into pieces."""

    corpus: Corpus
    pieces: list[DocumentPiece]


def open_shard(corpus: ShardedCorpus, number: int) -> OpenShard:
    """Read a shard and put it in order."""
    part = corpus.read(number)
    part.by_word()
    return OpenShard(part, cut_documents(part, first_document=corpus.first_document(number)))


class WorkerMemory:
    """The part of a run that is in this process."""

    def __init__(self, place: RunPlace) -> None:
        self.folder = Path(place.folder)
        self.plan: ShardedPlan = read_plan(self.folder)
        if self.plan.run != place.run:
            raise FileFormatError.of(
                "{place.folder} holds another run by now: [give each fit a {checkpoint=} of its "
                "own]."
            ).where(place=place)
        self._lock = threading.Lock()
        self._shards: dict[int, OpenShard] = {}
        self._topics: dict[int, tuple[int, Int32s]] = {}
        self._phi: tuple[str, Phi] | None = None
        self._gammas: dict[Span, tuple[SweepKey, Floats]] = {}

    def shard(self, number: int) -> OpenShard:
        """Return the documents of a shard."""
        found = self._shards.get(number)
        if found is None:
            self._shards[number] = found = open_shard(self.plan.corpus, number)
        return found

    def topics(self, shard: int, sweep: int) -> Int32s:
        """Return the topics of a shard after a sweep, to be read only."""
        kept = self._topics.get(shard)
        if kept is not None and kept[0] == sweep:
            return kept[1]
        topics, _ = read_topics(self.folder, self.plan, shard, sweep)
        self.keep_topics(shard, sweep, topics)
        return topics

    def keep_topics(self, shard: int, sweep: int, topics: Int32s) -> None:
        """Remember the topics of a shard; shards that others have swept since are forgotten."""
        topics.setflags(write=False)
        with self._lock:
            self._topics[shard] = (sweep, topics)
            for other in [one for one, (of, _) in self._topics.items() if of < sweep - 1]:
                del self._topics[other]
                self._shards.pop(other, None)

    def keep_gammas(self, span: Span, key: SweepKey, rows: Floats) -> None:
        """Keep gamma draws until they become φ; what is there of earlier sweeps goes."""
        with self._lock:
            self._phi = None
            self._gammas = {one: kept for one, kept in self._gammas.items() if kept[0] == key}
            self._gammas[span] = (key, rows)

    def take_gammas(self, span: Span, key: SweepKey) -> Floats | None:
        """Return gamma draws to whoever asks first, None if there are none of that sweep."""
        with self._lock:
            kept = self._gammas.pop(span, None)
        return None if kept is None or kept[0] != key else kept[1]

    def phi(self, key: str, parts: Sequence[PhiPart]) -> Phi:
        """Return φ of all words in one table, put together once a sweep."""
        with self._lock:
            if self._phi is None or self._phi[0] != key:
                self._phi = None  # before the new one is made
                rows = _below_each_other([part.rows for part in parts])
                powers = _below_each_other([part.alpha_powers for part in parts])
                self._phi = (key, Phi(rows, powers))
            return self._phi[1]


def _below_each_other(parts: Sequence[Floats]) -> Floats:
    """Return one table, aligned as kernels want it; a single part that is so is taken as it is."""
    return (
        np.require(parts[0], requirements=("C", "A")) if len(parts) == 1 else np.concatenate(parts)
    )


_runs: dict[str, WorkerMemory] = {}
_lock = threading.Lock()


def memory_of(place: RunPlace) -> WorkerMemory:
    """Return what this process has of a run; its plan is read at the first call."""
    with _lock:
        found = _runs.get(place.run)
        if found is None:
            found = _runs[place.run] = WorkerMemory(place)
            while len(_runs) > RUNS_KEPT:
                del _runs[next(iter(_runs))]
        return found


def forget_run(run: str) -> None:
    """Give back the memory of a run."""
    with _lock:
        _runs.pop(run, None)
