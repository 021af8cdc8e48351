"""A matrix of an AnnData file, read in pieces and made of whole numbers or refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.data.corpus import MAX_TOKENS
from blocklda.formats.numbers.h5ad_items import as_text, item_in, read_all, require_room
from blocklda.support.arrays import Bools
from blocklda.support.errors import FileFormatError
from blocklda.support.memory import require_memory
from blocklda.support.messages import Message

if TYPE_CHECKING:
    import h5py

__all__ = ["holds_counts", "read_matrix"]

_PIECE = 2**22
"""Numbers that are read at a time."""

# Index and count, once as they are read, once in order, once in the corpus.
_BYTES_PER_ENTRY = 32


def read_matrix(
    path: Path, name: str, item: h5py.Dataset | h5py.Group, advice: Callable[[], Message]
) -> Any:
    """Return a sparse matrix; ``advice`` says what to do if its numbers are no counts."""
    if hasattr(item, "keys"):
        return _read_sparse(path, name, item, advice)
    if len(item.shape) != 2:
        raise FileFormatError(
            f"{path}: {name} has the shape {item.shape}; a matrix of counts has two dimensions."
        )
    return _read_dense(path, name, item, advice)


def holds_counts(path: Path, item: h5py.Dataset | h5py.Group) -> bool:
    """Return True if a matrix begins with whole numbers from 0."""
    dataset = item_in(path, item, "data") if hasattr(item, "keys") else item
    width = math.prod(dataset.shape[1:])
    n_rows = min(dataset.shape[0], max(1, _PIECE // max(1, width)))
    require_room(path, dataset, n_rows * width * dataset.dtype.itemsize)
    values = dataset[:n_rows]
    return bool(_allowed(values).all())


def _allowed(values: NDArray[Any]) -> Bools:
    if values.dtype.kind == "b":
        return np.ones(values.shape, dtype=bool)
    if values.dtype.kind not in "iuf":
        return np.zeros(values.shape, dtype=bool)
    allowed: Bools = (values >= 0) & (values <= MAX_TOKENS)
    allowed &= np.floor(values) == values
    return allowed


def _read_sparse(
    path: Path, name: str, group: h5py.Group, advice: Callable[[], Message]
) -> sparse.csr_matrix[np.int32] | sparse.csc_matrix[np.int32]:
    attributes = group.attrs
    # The second names are those of the first versions of AnnData.
    kind = as_text(attributes.get("encoding-type", attributes.get("h5sparse_format")))
    shape = attributes["shape"] if "shape" in attributes else attributes["h5sparse_shape"]
    n_docs, n_words = (int(size) for size in shape)
    data = item_in(path, group, "data")
    require_room(path, data, min(_PIECE, data.size) * data.dtype.itemsize)
    require_memory(
        _BYTES_PER_ENTRY * len(data) + 32 * (n_docs + n_words),
        f"{path}: {name} with {len(data)} entries",
        "use a part of the data or a larger machine",
    )
    indptr = read_all(path, item_in(path, group, "indptr"), 8).astype(np.int64)
    columns = read_all(path, item_in(path, group, "indices"))
    is_csr = kind.startswith("csr")
    if not is_csr and not kind.startswith("csc"):
        raise FileFormatError(
            f"{path}: {name} is a {kind!r:.40}; it must be a csr_matrix, a csc_matrix or an array."
        )
    counts = np.empty(len(data), dtype=np.int32)
    for start in range(0, len(data), _PIECE):
        values = data[start : start + _PIECE]
        allowed = _allowed(values)
        if not allowed.all():
            i = int(np.argmin(allowed))
            major = int(np.searchsorted(indptr, start + i, side="right")) - 1
            place = (major, int(columns[start + i]))
            raise _refusal(path, name, values[i], place if is_csr else place[::-1], advice)
        counts[start : start + _PIECE] = values
    make = sparse.csr_matrix if is_csr else sparse.csc_matrix
    return make((counts, columns, indptr), shape=(n_docs, n_words))


def _read_dense(
    path: Path, name: str, dataset: h5py.Dataset, advice: Callable[[], Message]
) -> sparse.csr_matrix[np.int32]:
    n_docs, n_words = dataset.shape
    n_rows = max(1, min(n_docs, _PIECE // max(1, n_words)))
    require_room(path, dataset, n_rows * n_words * dataset.dtype.itemsize)
    require_memory(
        8 * n_rows * n_words + 32 * n_docs,
        f"{path}: {name} of {n_docs} rows and {n_words} columns",
        "use a part of the data or a larger machine",
    )
    pieces = []
    for start in range(0, max(1, n_docs), n_rows):
        values = dataset[start : start + n_rows]
        allowed = _allowed(values)
        if not allowed.all():
            row, column = (int(i) for i in np.argwhere(~allowed)[0])
            raise _refusal(path, name, values[row, column], (start + row, column), advice)
        pieces.append(sparse.csr_matrix(values.astype(np.int32)))
    return sparse.csr_matrix(sparse.vstack(pieces))


def _refusal(
    path: Path, name: str, value: Any, place: tuple[int, int], advice: Callable[[], Message]
) -> FileFormatError:
    return FileFormatError(
        f"{path}: {name} holds {value!s:.40} at observation {place[0]}, variable {place[1]}, which "
        f"is not a count, a whole number from 0 to {MAX_TOKENS}; ",
        advice(),
        ".",
    )
