"""The header of an NPY array, read without evaluating it.

NumPy evaluates the text as a Python literal, which a hostile one makes run out of memory, and
allocates whatever shape it announces. NumPy itself always writes the same layout.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np

__all__ = ["MAX_NPY_HEADER", "NpyHeader", "read_npy_header"]

MAX_NPY_HEADER = 10_000
"""Bytes that hold any header of numbers; NumPy's own limit, too."""

_MAGIC = b"\x93NUMPY"
_MAX_DIMENSIONS = 8
# Python 2 wrote sizes as 3L.
_LAYOUT = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z][\w\[\]]{0,20})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,19}L?, ?)*(?:\d{1,19}L?)?)\), ?\} *\n"
)


class NpyHeader(NamedTuple):
    """What an NPY file says of its array, and where the numbers begin."""

    version: tuple[int, int]
    dtype: np.dtype[Any]
    fortran_order: bool
    shape: tuple[int, ...]
    start: int

    @property
    def n_bytes(self) -> int:
        """Length of the file that this header belongs to."""
        return self.start + math.prod(self.shape) * self.dtype.itemsize


def read_npy_header(content: bytes) -> NpyHeader:
    """Return the header at the beginning of an NPY file, or raise ValueError."""
    if len(content) < 12 or not content.startswith(_MAGIC):
        raise ValueError("it is no NPY file")
    version = content[6], content[7]
    if version not in ((1, 0), (2, 0)):
        raise ValueError("it is not an NPY file of version 1.0 or 2.0")
    begin = 10 if version == (1, 0) else 12
    start = begin + int.from_bytes(content[8:begin], "little")
    layout = _LAYOUT.fullmatch(content[begin : min(start, begin + MAX_NPY_HEADER)])
    if layout is None:
        raise ValueError("its header is not that of an array of numbers")
    sizes = layout[3].replace(b"L", b"").replace(b" ", b"").split(b",")
    shape = tuple(int(size) for size in sizes if size)
    if len(shape) > _MAX_DIMENSIONS:
        raise ValueError(f"it has {len(shape)} dimensions")
    try:
        dtype = np.dtype(layout[1].decode())
    except (TypeError, ValueError, SyntaxError) as error:
        raise ValueError(f"{layout[1]!r:.40} is not a type of numbers") from error
    return NpyHeader(version, dtype, layout[2] == b"True", shape, start)
