"""How much memory a fit on shards takes, asked before the first sweep."""

from __future__ import annotations

from blocklda.files.sharded_corpus import Shard, ShardedCorpus
from blocklda.models.lda.samplers.grid.shards import group_shards
from blocklda.models.lda.samplers.partially_collapsed.phi import Phi
from blocklda.support import defaults

__all__ = [
    "grid_worker_bytes",
    "least_bytes",
    "process_bytes",
    "room_for_shards",
    "shard_bytes",
    "worker_bytes",
]

BYTES_PER_ENTRY, BYTES_PER_TOKEN, BYTES_PER_DOC = 24, 4, 16
"""A shard in memory: words and counts, and the pieces with their orders; the topics of a chain.
docs/explanation/scaling.md compares the measured peak of workers with this estimate."""

BYTES_PER_ENTRY_AS_ROW, BYTES_PER_CELL = 8, 24
"""The same without pieces, for `grid`: words and counts; and a count n_vk, as it comes, in a list
and as it goes."""

BYTES_OF_PROCESS = 120 * 10**6
"""A worker that has imported what it needs and done nothing yet."""

SHARE_OF_LIMIT = 0.6
"""Of the memory that a worker may use, it fills this much with what it knows of. Dask begins to
write results to disk there, and stops giving it work at 0.8."""


def worker_bytes(
    corpus: ShardedCorpus,
    n_topics: int,
    n_workers: int,
    n_chains: int = defaults.N_CHAINS,
    limit: int = 0,
) -> int:
    """Return what a worker takes whose limit is so many bytes, 0 for none."""
    least = least_bytes(corpus, n_topics)
    n_shards = -(-len(corpus.shards) // n_workers)
    of_shards = n_shards * max(shard_bytes(one, n_chains) for one in corpus.shards)
    room = room_for_shards(limit, least)
    return least + (of_shards if room is None else min(of_shards, room))


def grid_worker_bytes(
    corpus: ShardedCorpus, n_topics: int, n_workers: int, n_chains: int = defaults.N_CHAINS
) -> int:
    """Return what a worker takes that sweeps its part of the shards by `grid`.

    The documents, topics of all chains and of the sweep that is under way; and the lists of two
    groups of words, which have no more cells than tokens.
    """
    n_tokens = [shard.n_tokens for shard in corpus.shards]
    n_groups = len(group_shards(n_tokens, corpus.n_words)) - 1
    n_own = -(-n_groups // max(1, n_workers))
    share = min(1.0, max(n_own / n_groups, max(n_tokens) / corpus.n_tokens))
    documents = BYTES_PER_ENTRY_AS_ROW * corpus.n_entries + BYTES_PER_DOC * corpus.n_docs
    topics = BYTES_PER_TOKEN * (1 + n_chains) * corpus.n_tokens
    cells = min(corpus.n_words * n_topics, corpus.n_tokens) // n_groups
    return BYTES_OF_PROCESS + int(share * (documents + topics)) + 2 * BYTES_PER_CELL * cells


def least_bytes(corpus: ShardedCorpus, n_topics: int) -> int:
    """Return what a worker needs: itself, φ in one table, its parts as they came, and a shard."""
    of_shard = max(map(shard_bytes, corpus.shards))
    return BYTES_OF_PROCESS + 2 * Phi.bytes_needed(corpus.n_words, n_topics) + of_shard


def room_for_shards(limit: int, least: int) -> int | None:
    """Return the bytes that are left for shards that stay open; None for as many as there are."""
    return max(0, int(SHARE_OF_LIMIT * limit) - least) if limit else None


def process_bytes(corpus: ShardedCorpus, n_topics: int) -> int:
    """Return what one process needs that reads one shard at a time.

    φ, n_vk of this sweep and of the one before, the averages, and the largest shard.
    """
    tables = (8 + 2 * 8) * corpus.n_words * n_topics
    return (
        Phi.bytes_needed(corpus.n_words, n_topics) + tables + max(map(shard_bytes, corpus.shards))
    )


def shard_bytes(shard: Shard, n_chains: int = defaults.N_CHAINS) -> int:
    """Return what a shard takes that is open: with its topics before a sweep, and after it."""
    return (
        BYTES_PER_ENTRY * shard.n_entries
        + BYTES_PER_TOKEN * (1 + n_chains) * shard.n_tokens
        + BYTES_PER_DOC * shard.n_docs
    )
