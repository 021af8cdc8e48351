"""Shards of a corpus in memory: as many as there is room for stay, others are read again."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from blocklda.data.corpus import Corpus
from blocklda.files.sharded_corpus import ShardedCorpus, joined
from blocklda.models.lda.samplers.partially_collapsed.documents import DocumentPiece, cut_documents
from blocklda.parallel.shard_memory import shard_bytes
from blocklda.support import defaults

__all__ = ["OpenShard", "OpenShards"]


@dataclass(frozen=True)
class OpenShard:
    """The documents of a shard, cut into pieces."""

    corpus: Corpus
    pieces: list[DocumentPiece]


class OpenShards:
    """Shards that stay open while there is room, in the order in which they are asked for.

    Each sweep goes through all of them in one order, so keeping the latest ones instead of the
    first would help nobody.
    """

    def __init__(
        self, corpus: ShardedCorpus, room: int | None = None, n_chains: int = defaults.N_CHAINS
    ) -> None:
        """Take the bytes that shards may have, with the topics of some chains; None for all."""
        self._corpus = corpus
        self._room = room
        self._n_chains = n_chains
        self._stay: set[int] = set()
        self._kept: dict[int, OpenShard] = {}
        self._joined: dict[range, Corpus] = {}
        self._lock = threading.Lock()

    def stays(self, number: int) -> bool:
        """Return whether there is room for a shard, and keep it for that shard."""
        with self._lock:
            if number in self._stay or self._room is None:
                return True
            n_bytes = shard_bytes(self._corpus.shards[number], self._n_chains)
            if n_bytes > self._room:
                return False
            self._room -= n_bytes
            self._stay.add(number)
            return True

    def __getitem__(self, number: int) -> OpenShard:
        """Return a shard, read if it is not open."""
        found = self._kept.get(number)
        if found is None:
            part = self._corpus.read(number)
            first = self._corpus.first_document(number)
            found = OpenShard(part, cut_documents(part, first_document=first))
            if self.stays(number):
                self._kept[number] = found
        return found

    def joined(self, shards: range) -> Corpus:
        """Return neighbouring shards as one corpus, which stays open whatever the room is."""
        with self._lock:
            found = self._joined.get(shards)
            if found is None:
                parts = [self._corpus.read(number) for number in shards]
                found = parts[0] if len(parts) == 1 else joined(parts, self._corpus.words)
                self._joined[shards] = found
            return found

    def forget(self, number: int) -> None:
        """Give back the room of a shard that is somebody else's by now."""
        with self._lock:
            self._kept.pop(number, None)
            if number in self._stay and self._room is not None:
                self._stay.remove(number)
                self._room += shard_bytes(self._corpus.shards[number], self._n_chains)
