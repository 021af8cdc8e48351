"""Arguments changed at random: shapes, strides, types, numbers, or something else altogether."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["changed"]

INTEGERS = (
    *(-(2**63), -(2**31) - 1, -(2**31), -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 63, 64),
    *(2**31 - 1, 2**31, 2**32, 2**32 + 5, 2**40, 2**62, 2**63 - 1),
)
REALS = (
    *(np.nan, np.inf, -np.inf, -1.0, -0.0, 0.0, 5e-324, 1e-308, 1e-300, 1e-10, 0.25, 0.5, 1.0),
    *(1.5, 8.0, 1e6, 1e300, 1.7976931348623157e308),
)
TYPES = (
    "i1",
    "u1",
    "i2",
    "i4",
    "u4",
    "i8",
    ">i4",
    ">i8",
    "f2",
    "f4",
    "f8",
    ">f8",
    "c16",
    "b1",
    "O",
)
OTHERS = (None, 1.5, "3", b"", (), [], {}, object(), 2**70, np.float64(1), np.int32(1), True)

WORK = {"n_sweeps": 3, "n_refine": 4, "n_particles": 40, "burn_in": 3, "every": 8, "n_threads": 3}
"""The most of what a call only takes longer with: it may take as long as it is told."""


def changed(name: str, value: Any, rng: random.Random, *, bounded: bool = False) -> Any:
    """Return a changed argument; ``bounded`` if numbers in it say how much work there is."""
    if rng.random() < 0.03:
        return rng.choice(OTHERS)
    if isinstance(value, np.ndarray):
        return rng.choice(_ARRAY_CHANGES)(value, rng, bounded)
    if isinstance(value, bool) or not isinstance(value, int | float):
        if isinstance(value, tuple | list) and value and rng.random() < 0.8:
            return _item_changed(name, value, rng)
        return value
    if isinstance(value, float):
        return rng.choice(REALS)
    number = min(rng.choice(INTEGERS), WORK.get(name, 2**70))
    # Tables of so many words or topics would be made, and take minutes; more of them are refused.
    return 1_000 if name in ("n_words", "n_topics") and number == 2**31 - 1 else number


def _item_changed(name: str, value: Any, rng: random.Random) -> Any:
    items = list(value)
    i = rng.randrange(len(items))
    if rng.random() < 0.2:
        del items[i]
    else:
        items[i] = changed(name, items[i], rng)
    return type(value)(items)


def _numbers(array: np.ndarray, rng: random.Random, bounded: bool) -> np.ndarray:
    found = array.copy()
    if found.size == 0:
        return found
    flat = found.reshape(-1)
    for _ in range(rng.choice((1, 1, 2, 4))):
        place = rng.randrange(flat.size)
        if found.dtype.kind == "f":
            flat[place] = np.array(rng.choice(REALS)).astype(found.dtype)
        elif found.dtype.kind in "iu":
            limits = np.iinfo(found.dtype)
            number = rng.choice(INTEGERS) if rng.random() < 0.6 else int(rng.choice(flat))
            number = max(limits.min, min(limits.max, number))
            flat[place] = min(number, 64) if bounded else number
    return found


def _other_type(array: np.ndarray, rng: random.Random, _: bool) -> np.ndarray:
    with np.errstate(all="ignore"):
        return array.astype(rng.choice(TYPES))


def _longer(array: np.ndarray, rng: random.Random, _: bool) -> np.ndarray:
    axis = rng.randrange(max(1, array.ndim))
    times = rng.choice((2, 3, 9))
    return np.concatenate([array] * times, axis=axis) if array.ndim else array


def _shorter(array: np.ndarray, rng: random.Random, _: bool) -> np.ndarray:
    if array.ndim == 0:
        return array
    axis = rng.randrange(array.ndim)
    length = rng.randrange(array.shape[axis] + 1)
    return np.ascontiguousarray(np.take(array, range(length), axis=axis))


def _strided(array: np.ndarray, rng: random.Random, _: bool) -> np.ndarray:
    """Return the same numbers, or other ones, with other strides."""
    action = rng.randrange(5)
    if array.ndim == 0:
        return array
    if action == 0:
        return array[::-1]
    if action == 1:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if action == 2:
        return np.broadcast_to(array[:1], array.shape)
    if action == 3:
        return np.asfortranarray(array)
    return array.T


def _reshaped(array: np.ndarray, rng: random.Random, _: bool) -> np.ndarray:
    shapes: tuple[Any, ...] = ((-1,), (1, -1), (-1, 1), (1, 1, -1), (0,), (0, 8), ())
    shape = rng.choice(shapes)
    try:
        return array.reshape(shape)
    except ValueError:
        return np.zeros(tuple(abs(n) for n in shape), array.dtype)


def _misaligned(array: np.ndarray, rng: random.Random, _: bool) -> np.ndarray:
    if array.dtype.hasobject:
        return array
    memory = bytearray(array.nbytes + 1)
    found = np.frombuffer(memory, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


def _read_only(array: np.ndarray, rng: random.Random, _: bool) -> np.ndarray:
    found = array.copy()
    found.setflags(write=False)
    return found


_ARRAY_CHANGES: tuple[Callable[[np.ndarray, random.Random, bool], np.ndarray], ...] = (
    *(_numbers,) * 6, _other_type, _longer, _shorter, _strided, _reshaped, _misaligned, _read_only,
)  # fmt: skip
