"""One random stream per piece and sweep, all from one key that the chain's own stream gives."""

from __future__ import annotations

import numpy as np

__all__ = [
    "CELLS",
    "DOCUMENTS",
    "EMPTY_TOPIC",
    "MASSES",
    "WORDS",
    "SweepKey",
    "piece_stream",
    "sweep_key",
]

SweepKey = tuple[int, ...]

DOCUMENTS, WORDS, EMPTY_TOPIC, CELLS, MASSES = 0, 1, 2, 3, 4
"""What a stream is for. Its number is that of the first document or word, of the topic or of the
cell; the masses of a sweep have one, number 0."""


def sweep_key(rng: np.random.Generator) -> SweepKey:
    """Draw the key of a sweep, 128 bits."""
    return tuple(int(word) for word in rng.integers(0, 2**32, size=4, dtype=np.uint32))


def piece_stream(key: SweepKey, purpose: int, number: int) -> np.random.Generator:
    """Return the stream of a piece, as NumPy spawns children of a seed."""
    seed = np.random.SeedSequence(key, spawn_key=(purpose, number))
    return np.random.Generator(np.random.PCG64(seed))
