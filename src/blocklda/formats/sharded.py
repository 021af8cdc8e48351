"""A folder of shards, for fits on several machines: `blocklda convert --shards` writes one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.data.pieces import Piece, document_pieces
from blocklda.files.atomic_write import cannot_write
from blocklda.files.sharded_corpus import (
    MANIFEST,
    ShardedCorpus,
    Words,
    write_manifest,
    write_shard,
)
from blocklda.formats.options import ReadOptions
from blocklda.formats.words.vocabulary import corpus_of
from blocklda.support.arrays import Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["OPTIONS", "cut_into_shards", "most_shards", "read", "recognises", "write_shards"]

OPTIONS: frozenset[str] = frozenset()


def recognises(path: Path) -> bool:
    """Return True if a path is a folder with the manifest of a sharded corpus."""
    return os.path.isfile(os.path.join(path, MANIFEST))  # takes names that no file can have


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read all shards as one corpus."""
    return corpus_of(path, ShardedCorpus.open(path).whole(), options.vocabulary)


def write_shards(corpus: Corpus, folder: Path, n_shards: int) -> ShardedCorpus:
    """Write a corpus to a folder, made if need be, in shards of about equal size.

    A sharded corpus that is there is replaced.
    """
    parts = list(cut_into_shards(corpus, n_shards))
    try:
        folder.mkdir(exist_ok=True)
        # Old shards with new names, or the other way round, would not be a valid corpus.
        with suppress(FileNotFoundError):
            (folder / MANIFEST).unlink()
    except OSError as error:
        raise cannot_write(folder, error) from error
    shards = [write_shard(folder, number, part) for number, part in enumerate(parts)]
    return write_manifest(folder, Words.of(corpus), shards)


def cut_into_shards(corpus: Corpus, n_shards: int) -> Iterator[Corpus]:
    """Yield shards that end where pieces of a sweep end, so that they do not change its result."""
    lengths = corpus.doc_lengths()
    pieces = _pieces(lengths)
    n_shards = whole_number("shards", n_shards, 1)
    if n_shards > len(pieces):
        raise InputError.of(
            "{shards=} is too many: a sweep is divided into pieces of about 40,000 tokens, and "
            "this corpus has {n_pieces} of them; [give <a whole number from 1 to {n_pieces}>]."
        ).where(shards=n_shards, n_pieces=len(pieces))
    ends = np.cumsum(lengths)[[last - 1 for _, last in pieces]]
    wanted = ends[-1] * np.arange(1, n_shards) / n_shards
    cuts = np.searchsorted(ends, wanted) + 1
    # At least one piece each, on both sides of every cut.
    for i in range(1, len(cuts)):
        cuts[i] = max(cuts[i], cuts[i - 1] + 1)
    for i, cut in enumerate(cuts):
        cuts[i] = min(cut, len(pieces) - (n_shards - 1 - i))
    documents = [0, *(pieces[cut][0] for cut in cuts), corpus.n_docs]
    matrix = corpus.to_matrix()
    names = corpus.doc_names
    for first, last in pairwise(documents):
        yield Corpus.from_matrix(
            matrix[first:last], doc_names=None if names is None else names[first:last]
        )


def most_shards(corpus: Corpus) -> int:
    """Return how many shards a corpus can be cut into."""
    return len(_pieces(corpus.doc_lengths()))


def _pieces(lengths: Ints) -> list[Piece]:
    pieces = document_pieces(lengths)
    if len(pieces) > 1 and not lengths[pieces[-1][0] :].any():
        pieces.pop()  # empty documents at the end go with those before them
    return pieces
