"""The types of arrays, under one name each, and arrays that stay as they are."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["AnyInts", "Bools", "Float32s", "Floats", "Int32s", "Ints", "Numbers", "sealed"]

Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Bools = NDArray[np.bool_]
AnyInts = NDArray[np.integer]
Numbers = NDArray[np.floating] | NDArray[np.integer]

Number = TypeVar("Number", bound=np.generic)


def sealed(array: NDArray[Number]) -> NDArray[Number]:
    """Return an array, to which there must be no other reference, as one that is read-only.

    `setflags` makes a read-only array writable again if it owns its memory. Behind a read-only
    memoryview it cannot, so the kernels may trust what they have checked once; of other arrays
    they keep a copy. Memory that belongs to another object, such as a buffer that came over a
    network, is copied here.
    """
    if _is_sealed(array):
        return array
    owner: Any = array if array.flags.owndata else array.copy()
    owner.setflags(write=False)
    return np.asarray(memoryview(owner).toreadonly()).view(array.dtype)


def _is_sealed(array: NDArray[Any]) -> bool:
    at: Any = array
    while isinstance(at, np.ndarray) and not at.flags.writeable:
        at = at.base
    return isinstance(at, memoryview) and at.readonly
