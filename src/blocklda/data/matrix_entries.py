"""Convert matrices of any kind to flat lists of entries, from which a corpus is built."""

from __future__ import annotations

import os
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.data.text_values import starts_with_text
from blocklda.support.arrays import Floats
from blocklda.support.errors import CapacityError, InputError, InputTypeError
from blocklda.support.memory import require_memory

__all__ = ["MAX_TOKENS", "Entries", "as_matrix", "column_names", "matrix_entries", "row_names"]

# Kernels count tokens in 32-bit signed integers, so no count and no sum of counts may exceed this.
MAX_TOKENS = 2**31 - 1


def matrix_entries(matrix: Any) -> Entries:
    """Return the entries of a matrix that `as_matrix` accepted, without stored zeros."""
    return _sparse_entries(matrix) if sparse.issparse(matrix) else _dense_entries(matrix)


def as_matrix(X: Any) -> Any:
    """Return what was given as a sparse matrix or an array of numbers, 2-D and not empty."""
    if isinstance(X, str | bytes | os.PathLike):
        raise InputError(
            f"a matrix of counts is needed, not {X!r:.80}; use read_corpus for a file, and put a "
            "single text in a list."
        )
    if starts_with_text(X):
        raise InputTypeError(
            f"a {type(X).__name__} of texts was given, but a matrix of counts is needed: count "
            "their words with Corpus.from_texts, or read_corpus for a file."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise InputError("the matrix has masked counts, but every count must be known: fill them.")
    matrix: Any = X if sparse.issparse(X) else _frame_matrix(X) if _is_frame(X) else _array(X)
    _check_shape(X, matrix.shape)
    _check_dtype(matrix.dtype)
    return matrix


def _holds_words(X: Any) -> bool:
    """Return True for a list whose first element is a list of strings."""
    first = X[0] if isinstance(X, list | tuple) and X else None
    return isinstance(first, list | tuple) and bool(first) and isinstance(first[0], str)


def _array(X: Any) -> NDArray[Any]:
    try:
        array = np.asarray(X)
    except (TypeError, ValueError) as error:
        if _holds_words(X):
            raise InputTypeError(
                "lists of words were given, but a matrix of counts is needed: count them with "
                "Corpus.from_tokens."
            ) from error
        raise InputError(
            f"a {type(X).__name__} was given that is not a matrix of counts ({error}); pass rows "
            "of equal length, an array, a sparse matrix or a data frame."
        ) from error
    return _unboxed(array) if array.dtype.kind == "O" and array.ndim == 2 else array


def _unboxed(array: NDArray[Any]) -> Floats:
    """Return an array of Python's numbers as NumPy's; strings are no numbers, even "3"."""
    for (row, column), value in np.ndenumerate(array):
        if not isinstance(value, Real | np.bool_):
            raise InputTypeError(
                f"document (row) {row}, word (column) {column} holds {value!r:.40}, a "
                f"{type(value).__name__}; every argument must be a plain number, not a string or "
                "an object that stands for a number: convert it."
            )
    return array.astype(np.float64)


def _check_shape(X: Any, shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise InputError(
            f"the data have {len(shape)} dimensions ({type(X).__name__} of shape {shape}); a "
            "matrix of counts has two, documents × words. Reshape your data."
        )
    n_docs, n_words = shape
    if n_docs == 0 or n_words == 0:
        missing = f"{n_docs} sample(s)" if n_docs == 0 else f"{n_words} feature(s)"
        raise InputError(
            f"the matrix has {n_docs} documents (rows) and {n_words} words (columns), {missing} "
            f"(shape={shape}) while a minimum of 1 is required: check how it was created."
        )
    if max(n_docs, n_words) > MAX_TOKENS:
        raise CapacityError(
            f"the matrix has {n_docs} documents (rows) and {n_words} words (columns), but at most "
            f"{MAX_TOKENS} of each are possible; leave out empty rows or unused columns."
        )


def _check_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        said = "Complex data not supported: the" if dtype.kind == "c" else "the"
        remedy = "convert it, for example with X.astype(int)"
        if dtype.kind == "U":
            remedy += ", or count lists of words with Corpus.from_tokens"
        raise InputError(
            f"{said} matrix has dtype {dtype}; counts must be integers, booleans or whole floating-"
            f"point numbers: {remedy}."
        )


def _is_frame(X: Any) -> bool:
    return all(hasattr(X, name) for name in ("columns", "dtypes", "to_numpy"))


def column_names(X: Any) -> tuple[str, ...] | None:
    """Return the columns of a data frame if all are strings; nothing else names words."""
    if not _is_frame(X):
        return None
    return _strings(X.columns)


def row_names(X: Any) -> tuple[str, ...] | None:
    """Return the index of a data frame or series if all are strings; nothing else names rows."""
    index = getattr(X, "index", None)
    return None if index is None or callable(index) else _strings(index)  # lists have a method


def _strings(labels: Any) -> tuple[str, ...] | None:
    names = tuple(labels)
    return names if names and all(isinstance(name, str) for name in names) else None


def _frame_matrix(frame: Any) -> Any:
    """Return a data frame's numbers, sparse if its columns are sparse or of several kinds."""
    dtypes = set(frame.dtypes)
    if any(hasattr(dtype, "fill_value") for dtype in dtypes):
        plain = len(dtypes) == 1 and dtypes.pop().fill_value == 0
        return frame.sparse.to_coo() if plain else _frame_columns(frame)
    matrix = frame.to_numpy()
    mixed = matrix.dtype.kind == "O" and hasattr(frame, "iloc")
    return _frame_columns(frame) if mixed else matrix


def _frame_columns(frame: Any) -> sparse.coo_matrix[np.float64]:
    """Read a data frame column by column, for types that have no common NumPy type."""
    rows, values = [], []
    for j, dtype in enumerate(frame.dtypes):
        if getattr(dtype, "kind", "O") not in "biuf":
            raise InputError(
                f"column {j} ({frame.columns[j]!r}) of the data frame has dtype {dtype}; counts "
                "must be whole numbers: drop the column or convert it. If it holds texts, give the "
                "column alone."
            )
        # Floats hold every whole number up to 2**53 exactly, far beyond the largest count allowed.
        column = frame.iloc[:, j].to_numpy(dtype=np.float64, na_value=np.nan)
        rows.append(np.flatnonzero(column))
        values.append(column[rows[-1]])
    columns = np.repeat(np.arange(len(rows)), [len(of_column) for of_column in rows])
    return sparse.coo_matrix(
        (np.concatenate(values), (np.concatenate(rows), columns)), shape=frame.shape
    )


# --- numbers → entries in order


class Entries(NamedTuple):
    """A matrix row by row, columns ascending within a row, values as they were given."""

    n_docs: int
    n_words: int
    offsets: NDArray[Any]
    words: NDArray[Any]
    values: NDArray[Any]


def _dense_entries(matrix: NDArray[Any]) -> Entries:
    n_docs, n_words = matrix.shape
    rows, words = np.nonzero(matrix)
    offsets = np.zeros(n_docs + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_docs), out=offsets[1:])
    return Entries(n_docs, n_words, offsets, words, _wide(matrix[rows, words]))


def _sparse_entries(matrix: Any) -> Entries:
    n_docs, n_words = matrix.shape
    csr = _csr(matrix)
    stored = slice(int(csr.indptr[-1]))
    return Entries(n_docs, n_words, csr.indptr, csr.indices[stored], _wide(csr.data[stored]))


def _csr(matrix: Any) -> Any:
    """Return the same matrix as CSR with sorted columns and repeated entries added up."""
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(matrix)
    if matrix.format == "csr" and _is_ordered(matrix.indptr, matrix.indices[: matrix.indptr[-1]]):
        return matrix
    require_memory(
        32 * (matrix.shape[0] + 1),
        f"a corpus of {matrix.shape[0]} documents",
        "leave out empty documents or use a machine with more memory",
    )
    try:
        coo = matrix.tocoo(copy=False)
        return sparse.csr_matrix((_wide(coo.data), (coo.row, coo.col)), shape=matrix.shape)
    except ValueError as error:
        raise _damaged(str(error)) from error


def _check_compressed(matrix: Any) -> None:
    """Refuse a CSR, CSC or BSR matrix with pointers or indices that lead outside its arrays."""
    indptr, indices = matrix.indptr, matrix.indices
    n_major, n_minor = matrix.shape if matrix.format != "csc" else matrix.shape[::-1]
    if matrix.format == "bsr":
        height, width = matrix.blocksize
        n_major, n_minor = n_major // height, n_minor // width
    if len(indptr) != n_major + 1 or indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise _damaged("its indptr does not increase from 0")
    if indptr[-1] > min(len(indices), len(matrix.data)):
        raise _damaged("its indptr ends beyond its data")
    used = indices[: indptr[-1]]
    if len(used) and (used.min() < 0 or used.max() >= n_minor):
        raise _damaged(f"its indices are not all from 0 to {n_minor - 1}")


def _damaged(reason: str) -> InputError:
    return InputError(f"the sparse matrix is damaged: {reason}; build it again.")


def _is_ordered(indptr: NDArray[Any], indices: NDArray[Any]) -> bool:
    """Return True if columns strictly ascend within every row."""
    ascends = indices[1:] > indices[:-1]
    starts = indptr[1:-1]
    ascends[starts[(starts > 0) & (starts < len(indices))] - 1] = True
    return bool(ascends.all())


def _wide(values: NDArray[Any]) -> NDArray[Any]:
    """Return values in a type that adds and compares large numbers exactly enough to refuse them.

    Booleans stay booleans, whose sum is "or" in SciPy.
    """
    if values.dtype.kind == "b":
        return values
    if values.dtype.kind == "f":
        return values.astype(np.promote_types(values.dtype, np.float64), copy=False)
    small = values.max(initial=0) <= MAX_TOKENS and values.min(initial=0) >= -MAX_TOKENS
    return values.astype(np.int64 if small else np.float64, copy=False)
