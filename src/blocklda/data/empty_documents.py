"""Documents without words, whose topics are those of the prior."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from blocklda.data.corpus import Corpus

__all__ = ["EmptyDocuments"]


class EmptyDocuments(NamedTuple):
    """Documents without words: how many, and the row and the name of the first."""

    number: int
    row: int
    name: str | None

    @classmethod
    def of(cls, corpus: Corpus) -> EmptyDocuments:
        """Return those of a corpus."""
        empty = np.flatnonzero(np.diff(corpus.doc_offsets) == 0)
        if not empty.size:
            return cls(0, 0, None)
        row = int(empty[0])
        return cls(empty.size, row, None if corpus.doc_names is None else corpus.doc_names[row])

    def said(self, n_docs: int) -> str:
        """Return the sentence on them."""
        where = f"in row {self.row:,}" + ("" if self.name is None else f" ({self.name!r:.40})")
        if self.number == 1:
            found = f"1 of {n_docs:,} documents is empty, {where}: it keeps its row"
        else:
            found = (
                f"{self.number:,} of {n_docs:,} documents are empty, the first {where}: "
                "each keeps its row"
            )
        return f"{found}, with the topics of the prior."
