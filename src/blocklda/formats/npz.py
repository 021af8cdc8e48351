"""NPZ archives: a corpus with all its notes as blocklda writes it, or ``scipy.sparse.save_npz``.

A matrix of SciPy's has no names; they are taken from X.vocab, if it is there.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.files.corpus_file import read_corpus_file, write_corpus_file
from blocklda.files.npy_header import MAX_NPY_HEADER, read_npy_header
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import open_file
from blocklda.formats.words.vocabulary import corpus_of, fitting_words, vocabulary_places
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.memory import require_memory

__all__ = ["OPTIONS", "read", "recognises", "refuse_repeats", "write"]

OPTIONS = frozenset({"transpose"})

# The arrays of a matrix that say where its numbers stand.
_WHOLE = frozenset({"indices", "indptr", "row", "col", "coords", "offsets", "shape"})

# What zipfile, NumPy and SciPy raise for archives that are not what they should be.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    SyntaxError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)


def recognises(path: Path) -> bool:
    """Return True if a file is called .npz."""
    return path.name.lower().endswith(".npz")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read a corpus with its notes, or a sparse matrix of documents × words."""
    members = _members(path)
    if "header.npy" in members:
        if options.transpose:
            raise InputError.of(
                "{path} is a corpus of blocklda, whose rows are documents: [leave {transpose=True} "
                "out]."
            ).where(path=path)
        return corpus_of(path, read_corpus_file(path), options.vocabulary)
    # Compressed arrays can be far larger than the file.
    require_memory(
        sum(members.values()),
        f"{path}: the matrix",
        ("use a part of it, or a machine with more memory"),
    )
    _check_arrays(path)
    matrix = _scipy_matrix(path)
    if options.transpose:
        matrix = matrix.T
    announced, (n_docs, n_words) = f"{path}: the matrix has", matrix.shape
    places = vocabulary_places(path)
    words = fitting_words(path, announced, n_words, options.vocabulary, places, n_docs)
    corpus = corpus_of(path, matrix, words)
    refuse_repeats(path, corpus, matrix)
    return corpus


def write(corpus: Corpus, path: Path) -> None:
    """Write a corpus with its words, the names of its documents and its text settings."""
    write_corpus_file(path, corpus)


def _members(path: Path) -> dict[str, int]:
    """Return the files in an archive with the sizes they announce."""
    with _opened(path) as archive:
        return {member.filename: member.file_size for member in archive.infolist()}


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive; what is wrong with it is said of the file."""
    with open_file(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                yield archive
        except _UNREADABLE as error:
            raise _refusal(path, str(error) or "it is not an NPZ archive") from error


def _check_arrays(path: Path) -> None:
    """Refuse arrays that are not what their headers announce: SciPy allocates what they say."""
    with _opened(path) as archive:
        for member in archive.infolist():
            if member.compress_size > path.stat().st_size:
                raise ValueError(f"{member.filename!r:.80} is said to be larger than the file")
            with archive.open(member) as file:
                content = file.read(MAX_NPY_HEADER)
            header = read_npy_header(content)
            if header.n_bytes != member.file_size:
                raise ValueError(
                    f"the header of {member.filename!r:.80} does not match its contents"
                )
            name = member.filename.removesuffix(".npy")
            if name in _WHOLE and header.dtype.kind not in "iu":
                raise ValueError(f"{name!r} holds {header.dtype}, not whole numbers")


def _scipy_matrix(path: Path) -> Any:
    try:
        matrix = sparse.load_npz(path)
    except _UNREADABLE as error:
        raise _refusal(path, str(error).strip("'\".") or type(error).__name__) from error
    if not np.issubdtype(matrix.dtype, np.number) and matrix.dtype != np.bool_:
        raise _refusal(path, f"its numbers are {matrix.dtype}")
    return matrix


def _refusal(path: Path, reason: str) -> FileFormatError:
    return FileFormatError(
        f"{path} holds neither a corpus of blocklda nor a matrix that scipy.sparse.save_npz wrote "
        f"({reason}); save it again."
    )


def refuse_repeats(path: Path, corpus: Corpus, matrix: Any) -> None:
    """Refuse a matrix that stored more counts than the corpus made of it has entries.

    Its counts are known to be whole and not negative, so nothing but repeats can be missing.
    """
    if matrix.format not in ("csr", "csc", "coo"):
        return  # the other layouts have one place for each pair
    n_stored = np.count_nonzero(matrix.data)
    if matrix.format in ("csr", "csc"):
        n_stored = np.count_nonzero(matrix.data[: matrix.indptr[-1]])
    if n_stored == corpus.n_entries:
        return
    coo = matrix.tocoo()
    used = coo.data != 0
    keys = coo.row[used].astype(np.int64) * corpus.n_words + coo.col[used]
    ordered = np.sort(keys)
    row, column = divmod(int(ordered[1:][ordered[1:] == ordered[:-1]][0]), corpus.n_words)
    raise FileFormatError(
        f"{path}: document (row) {row}, word (column) {column} is stored more than once: add the "
        "counts up with matrix.sum_duplicates() and save it again."
    )
