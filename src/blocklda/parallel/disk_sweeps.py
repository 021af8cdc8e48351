"""The sweeps of a chain in this process, one shard after the other from its file.

    n_vk of all shards (of the sweep before)  →  φ  →  each shard: read, swept, written, counted

The numbers are those of a cluster and of a chain on one machine: φ has a stream for each piece of
words, documents have one for each piece of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.data.pieces import Piece
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.partially_collapsed.documents import DocumentPiece, sweep_piece
from blocklda.models.lda.samplers.partially_collapsed.phi import Phi, weakened
from blocklda.models.lda.samplers.partially_collapsed.sweep import draw_all
from blocklda.models.lda.samplers.partially_collapsed.threads import Threads
from blocklda.models.lda.samplers.sweep_streams import SweepKey
from blocklda.parallel.first_topics import first_topics
from blocklda.parallel.open_shards import OpenShard, OpenShards
from blocklda.parallel.plan import Learned, ShardedPlan
from blocklda.parallel.tasks import (
    ShardFacts,
    SweepFacts,
    facts_of_words,
    shard_facts,
)
from blocklda.parallel.topic_files import read_topics, remove_old_topics, write_topics
from blocklda.parallel.word_counts import WordCounts, count_topics
from blocklda.support.arrays import Floats, Int32s, Ints
from blocklda.support.errors import FileFormatError

__all__ = ["DiskSweeps"]

Table = NDArray[np.int32] | NDArray[np.int64]


class DiskSweeps:
    """Sweeps of a chain, one after the other."""

    def __init__(self, plan: ShardedPlan, folder: Path, shards: OpenShards, n_threads: int) -> None:
        self._plan = plan
        self._folder = folder
        self._open = shards
        self._n_threads = n_threads
        self._counts: tuple[int, Table] | None = None
        self._phi: Phi | None = None

    def start(self) -> None:
        """Draw the topics of all shards before the first sweep."""
        for i in self._shards():
            topics = first_topics(self._folder, self._plan, i)
            write_topics(self._folder, self._plan, i, 0, topics, 0)

    def missing(self, sweep: int) -> str | None:
        """Return what is wrong with the files of a sweep, None if all shards have theirs."""
        for i in self._shards():
            try:
                read_topics(self._folder, self._plan, i, sweep)
            except FileFormatError as error:
                return error.message
        return None

    def sweep(self, sweep: int, key: SweepKey, learned: Learned | None) -> SweepFacts:
        """Go from the sweep before to this one; its topics are in files when this returns."""
        priors = self._plan.priors_at(learned)
        with Threads(self._n_threads) as threads:
            counts, level = self._counted(sweep - 1), self._plan.sixteenths(sweep)
            phi = self._drawn(key, counts, priors, threads, level)
            self._counts = None
            table, of_shards = self._empty(), []
            for i in self._shards():
                of_shards.append(self._sweep_shard(i, sweep, key, phi, priors, table, threads))
        self._counts = sweep, table
        words = [facts_of_words(self._plan, [piece], of) for piece, of in self._by_piece(table)]
        return SweepFacts(of_shards, words)

    def counts(self, sweep: int) -> Iterable[tuple[int, WordCounts]]:
        """Yield the first word of each piece, and n_vk of its words after a sweep."""
        for piece, counts in self._by_piece(self._counted(sweep)):
            yield piece[0], counts

    def topics_of(self, sweep: int, tokens: Sequence[Ints]) -> Sequence[NDArray[Any]]:
        """Return the topics of some tokens of the first shards after a sweep."""
        return [
            read_topics(self._folder, self._plan, i, sweep)[0][own] for i, own in enumerate(tokens)
        ]

    def _shards(self) -> range:
        return range(len(self._plan.corpus.shards))

    def _by_piece(self, table: Table) -> Iterator[tuple[Piece, WordCounts]]:
        for piece in self._plan.words:
            yield piece, WordCounts.of(table[slice(*piece)])

    def _empty(self) -> Table:
        shape = (self._plan.n_words, self._plan.n_topics)
        small = self._plan.corpus.n_tokens <= np.iinfo(np.int32).max
        return np.zeros(shape, np.int32) if small else np.zeros(shape, np.int64)

    def _counted(self, sweep: int) -> Table:
        """Return n_vk of all shards after a sweep; known but for the first one of a session."""
        if self._counts is None or self._counts[0] != sweep:
            table = self._empty()
            for i in self._shards():
                topics, _ = read_topics(self._folder, self._plan, i, sweep)
                self._count(self._open[i], topics, table)
            self._counts = sweep, table
        return self._counts[1]

    def _count(self, shard: OpenShard, topics: Int32s, table: Table) -> None:
        counts = count_topics(shard.corpus, topics, self._plan.n_topics)
        table[counts.words(), counts.topics] += counts.counts

    def _drawn(
        self, key: SweepKey, table: Table, priors: Priors, threads: Threads, sixteenths: int
    ) -> Phi:
        plan = self._plan
        if self._phi is None:
            largest = int(plan.sizes.max(initial=1))
            self._phi = Phi.empty(plan.n_words, plan.n_topics, largest)

        def concentrations(piece: Piece, rows: Floats) -> None:
            counts = table[slice(*piece)]
            rows[:, : plan.n_topics] = weakened(counts, sixteenths, priors.beta_of(piece))

        draw_all(
            self._phi, plan.words, plan.sizes, priors, key, threads, concentrations, sixteenths
        )
        return self._phi

    def _sweep_shard(
        self,
        number: int,
        sweep: int,
        key: SweepKey,
        phi: Phi,
        priors: Priors,
        table: Table,
        threads: Threads,
    ) -> ShardFacts:
        plan, shard = self._plan, self._open[number]
        topics, _ = read_topics(self._folder, plan, number, sweep - 1)

        def swept(piece: DocumentPiece) -> int:
            return sweep_piece(shard.corpus, piece, phi, priors, plan.largest_block, topics, key)

        n_steps = sum(threads.map(swept, shard.pieces))
        write_topics(self._folder, plan, number, sweep, topics, n_steps)
        remove_old_topics(self._folder, plan, number, sweep)
        self._count(shard, topics, table)
        return shard_facts(shard.corpus, plan, topics, n_steps)
