"""Sparse matrices in files have each pair of document and word once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.support.errors import FileFormatError

__all__ = ["refuse_repeats"]


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
        f"{path}: document (row) {row}, word (column) {column} is stored more than once; each pair "
        "stands once: add the counts up with matrix.sum_duplicates() and save it again."
    )
