"""φ of a few draws, for what is asked of new documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from blocklda.store import Draw

__all__ = ["N_TOPIC_DRAWS", "TopicDraws"]

FloatArray = NDArray[np.float64]

N_TOPIC_DRAWS = 8
"""Draws whose φ new documents are folded into; see docs/new-documents.md."""

MOST_BYTES_KEPT = 2**29
"""Matrices are kept from one call to the next if all of them fit into this."""


class TopicDraws(Sequence[FloatArray]):
    """φ (topics, words) of draws spread evenly over the chains, topics numbered alike.

    ``order`` is what the alignment of the chains found. Every chain gives at least one draw. The
    matrices are made when they are asked for, one at a time where they are large.
    """

    def __init__(self, draws: Iterable[Draw], order: NDArray[np.int64]) -> None:
        by_chain = sorted(draws, key=lambda draw: (draw.chain, draw.sweep))
        n = max(N_TOPIC_DRAWS, len(order)) if by_chain else 0
        middles = (np.arange(n) + 0.5) * len(by_chain) / n
        self._draws = [by_chain[i] for i in np.unique(middles.astype(int))]
        self._order = order
        self._kept: dict[int, FloatArray] = {}

    def __len__(self) -> int:
        return len(self._draws)

    @overload
    def __getitem__(self, index: int) -> FloatArray: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[FloatArray]: ...

    def __getitem__(self, index: int | slice) -> FloatArray | Sequence[FloatArray]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index in self._kept:
            return self._kept[index]
        draw = self._draws[index]
        topics: FloatArray = draw.topic_word()[self._order[draw.chain]]
        if topics.nbytes * len(self) <= MOST_BYTES_KEPT:
            self._kept[index] = topics
        return topics
