"""How much memory a fit on shards takes, asked before the first sweep."""

from __future__ import annotations

from blocklda.files.sharded_corpus import Shard, ShardedCorpus
from blocklda.models.lda.samplers.partially_collapsed.phi import Phi

__all__ = ["process_bytes", "shard_bytes", "worker_bytes"]

BYTES_PER_ENTRY, BYTES_PER_TOKEN, BYTES_PER_DOC = 36, 8, 16
"""A shard in memory: words and counts, the same by word, the pieces with their orders; topics
before and after a sweep. docs/explanation/scaling.md compares the measured peak of workers with
100 million tokens with this estimate."""

BYTES_OF_PROCESS = 120 * 10**6
"""A worker that has imported what it needs and done nothing yet."""


def worker_bytes(corpus: ShardedCorpus, n_topics: int, n_workers: int) -> int:
    """Return what a worker needs: itself, φ in one table, its parts as they came, and shards."""
    n_shards = -(-len(corpus.shards) // n_workers)
    of_shard = max(map(shard_bytes, corpus.shards))
    phi = Phi.bytes_needed(corpus.n_words, n_topics)
    return BYTES_OF_PROCESS + 2 * phi + n_shards * of_shard


def process_bytes(corpus: ShardedCorpus, n_topics: int) -> int:
    """Return what one process needs that reads one shard at a time.

    φ, n_vk of this sweep and of the one before, the averages, and the largest shard.
    """
    tables = (8 + 2 * 8) * corpus.n_words * n_topics
    return (
        Phi.bytes_needed(corpus.n_words, n_topics) + tables + max(map(shard_bytes, corpus.shards))
    )


def shard_bytes(shard: Shard) -> int:
    """Return what a shard takes that is open."""
    return (
        BYTES_PER_ENTRY * shard.n_entries
        + BYTES_PER_TOKEN * shard.n_tokens
        + BYTES_PER_DOC * shard.n_docs
    )
