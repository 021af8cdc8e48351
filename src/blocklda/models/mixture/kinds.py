"""Kinds of documents: those with the same words in the same numbers are of one kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.support.arrays import Int32s, Ints

__all__ = ["Kinds"]


@dataclass(frozen=True, eq=False)
class Kinds:
    """The documents grouped by kind: kind i has docs[offsets[i]:offsets[i + 1]], ascending.

    Kinds are in the order of their first documents. Empty documents are a kind, too.
    """

    docs: Int32s
    offsets: Ints

    @classmethod
    def of(cls, corpus: Corpus) -> Kinds:
        """Group the documents of a corpus."""
        numbers: dict[tuple[bytes, bytes], int] = {}
        kinds = np.empty(corpus.n_docs, dtype=np.int64)
        for d, (start, end) in enumerate(pairwise(corpus.doc_offsets.tolist())):
            words = corpus.word_ids[start:end].tobytes(), corpus.counts[start:end].tobytes()
            kinds[d] = numbers.setdefault(words, len(numbers))
        docs = np.argsort(kinds, kind="stable").astype(np.int32)
        return cls(docs, np.append(0, np.cumsum(np.bincount(kinds))).astype(np.int64))

    def blocks(self, max_block: int) -> Iterator[Int32s]:
        """Yield the documents that move at once: those of a kind, at most ``max_block``."""
        for start, end in pairwise(self.offsets.tolist()):
            for first in range(start, end, max_block):
                yield self.docs[first : min(first + max_block, end)]
