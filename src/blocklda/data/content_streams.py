"""Random streams that depend on what is in a document, not on where it stands."""

from __future__ import annotations

import copy
import hashlib
from typing import Any, cast

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.support.checks import seed_sequence

__all__ = ["ContentStream"]

STATE_BYTES = 16
"""PCG64 has 128 bits of state, and every value is a state."""


class ContentStream:
    """NumPy's PCG64, set to a place that a seed and the content of a document decide.

    Two documents with the same words and counts get the same stream, whatever stands around them;
    others get streams that begin at independent places. Unused words of the vocabulary have no part
    in it. ``purpose`` keeps streams apart that serve different ends, and so does ``number``.

    One stream is for one thread at a time.
    """

    def __init__(self, corpus: Corpus, seed: Any, purpose: str, number: int = 0) -> None:
        entries = np.empty((corpus.n_entries, 2), dtype="<i4")
        entries[:, 0] = corpus.word_ids
        entries[:, 1] = corpus.counts
        self._entries = entries.ravel().view(np.uint8)
        self._offsets: list[int] = (corpus.doc_offsets * entries.itemsize * 2).tolist()
        self._purpose = purpose.encode()
        words = seed_sequence("seed", seed).generate_state(8)
        self._seed = [*map(int, words), number]
        self._begin()

    def _begin(self) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(self._seed))
        self._state: dict[str, Any] = dict(self._bits.state)
        self._key = self._state["state"]["state"].to_bytes(STATE_BYTES, "little")
        self._generator = np.random.Generator(self._bits)

    def fork(self) -> ContentStream:
        """Return the same streams for another thread."""
        other = copy.copy(self)
        other._begin()
        return other

    def seek(self, d: int) -> np.random.Generator:
        """Go to the beginning of the stream of document ``d``."""
        content = self._entries[self._offsets[d] : self._offsets[d + 1]]
        digest = hashlib.blake2b(
            content.data, digest_size=STATE_BYTES, key=self._key, person=self._purpose
        )
        self._state["state"]["state"] = int.from_bytes(digest.digest(), "little")
        self._bits.state = cast(Any, self._state)
        return self._generator
