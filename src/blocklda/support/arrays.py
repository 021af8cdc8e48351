"""The types of arrays, under one name each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["AnyInts", "Bools", "Float32s", "Floats", "Int32s", "Ints", "Numbers"]

Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Bools = NDArray[np.bool_]
AnyInts = NDArray[np.integer]
Numbers = NDArray[np.floating] | NDArray[np.integer]
