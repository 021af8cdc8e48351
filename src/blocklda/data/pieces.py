"""How documents and words are cut into pieces: by the corpus, never by the number of threads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from blocklda.support.arrays import Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["Piece", "document_pieces", "shard_starts", "word_pieces"]

Piece = tuple[int, int]
"""The first document or word, and the one after the last."""

TOKENS_PER_PIECE = 40_000
"""A piece of documents ends with the document in which it reaches this many tokens."""

CELLS_PER_PIECE = 100_000
"""A piece of words has about this many numbers φ_kv."""


def document_pieces(lengths: Ints, shards: Sequence[int] = ()) -> list[Piece]:
    """Return pieces of documents; ``lengths`` are those of the documents, in tokens.

    No piece goes over the end of a shard; ``shards`` are the first documents of shards. Pieces are
    filled from left to right, each by itself: a corpus cut between two pieces has the same ones.
    """
    n_docs = len(lengths)
    starts = sorted({0, *shards, n_docs})
    cuts: list[int] = []
    for first, last in pairwise(starts):
        ends = np.cumsum(lengths[first:last])
        at, before = first, 0
        while at < last:
            cuts.append(at)
            reached = np.searchsorted(ends, before + TOKENS_PER_PIECE, side="left")
            at = min(first + int(reached) + 1, last)
            before = int(ends[at - first - 1])
    return list(pairwise([*cuts, n_docs]))


def word_pieces(n_words: int, n_topics: int) -> list[Piece]:
    """Return pieces of words, the rows of φ."""
    rows = max(1, CELLS_PER_PIECE // n_topics)
    return [(first, min(first + rows, n_words)) for first in range(0, n_words, rows)]


def shard_starts(sizes: Sequence[int], n_docs: int) -> tuple[int, ...]:
    """Return the first document of each shard, from the sizes of shards; () for no shards."""
    given = [whole_number(f"shards[{i}]", size, 1) for i, size in enumerate(sizes)]
    if given and sum(given) != n_docs:
        raise InputError(
            f"shards adds up to {sum(given)} documents, but there are {n_docs}: give the number of "
            "documents of each shard."
        )
    return tuple(np.cumsum([0, *given[:-1]]).tolist()) if given else ()
