"""Tokens are counted in 32 bits: files with more are refused, those with as many are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from blocklda.data.corpus import MAX_TOKENS, Corpus
from blocklda.formats import read_corpus
from blocklda.support.errors import CapacityError

Writer = Callable[[Path, list[list[int]]], Path]


def write_uci(folder: Path, rows: list[list[int]]) -> Path:
    lines = [f"{d} {v} {n}" for d, row in enumerate(rows, 1) for v, n in enumerate(row, 1)]
    path = folder / "docword.x.txt"
    path.write_text("\n".join([str(len(rows)), "2", str(len(lines)), *lines]) + "\n")
    return path


def write_ldac(folder: Path, rows: list[list[int]]) -> Path:
    path = folder / "x.ldac"
    path.write_text("".join(f"2 0:{first} 1:{second}\n" for first, second in rows))
    return path


def write_svmlight(folder: Path, rows: list[list[int]]) -> Path:
    path = folder / "x.svmlight"
    path.write_text("".join(f"0 1:{first} 2:{second}\n" for first, second in rows))
    return path


def write_matrix_market(folder: Path, rows: list[list[int]]) -> Path:
    lines = [f"{d} {v} {n}" for d, row in enumerate(rows, 1) for v, n in enumerate(row, 1)]
    path = folder / "x.mtx"
    size = f"{len(rows)} 2 {len(lines)}"
    path.write_text(
        "\n".join(["%%MatrixMarket matrix coordinate integer general", size, *lines]) + "\n"
    )
    return path


def write_npz(folder: Path, rows: list[list[int]]) -> Path:
    path = folder / "x.npz"
    sparse.save_npz(path, sparse.csr_matrix(np.array(rows, dtype=np.int64)))
    return path


def write_h5ad(folder: Path, rows: list[list[int]]) -> Path:
    h5py = pytest.importorskip("h5py", reason="h5ad files are written by h5py")
    path = folder / "x.h5ad"
    with h5py.File(path, "w") as file:
        file.attrs["encoding-type"] = "anndata"
        file["X"] = np.array(rows, dtype=np.int64)
        file["X"].attrs["encoding-type"] = "array"
        for group, names in (("obs", [f"d{i}" for i in range(len(rows))]), ("var", ["a", "b"])):
            file.create_group(group).attrs["_index"] = "_index"
            file[group].attrs["encoding-type"] = "dataframe"
            file[f"{group}/_index"] = names
    return path


WRITERS: dict[str, Writer] = {
    "uci": write_uci,
    "ldac": write_ldac,
    "svmlight": write_svmlight,
    "matrix-market": write_matrix_market,
    "npz": write_npz,
    "h5ad": write_h5ad,
}
MOST = [[MAX_TOKENS - 5, 1], [1, 3]]
TOO_MANY = {
    "in one document": [[MAX_TOKENS, 1]],
    "of one word": [[MAX_TOKENS - 1, 1], [1, 1]],
    "twice what 32 bits hold": [[MAX_TOKENS, MAX_TOKENS], [MAX_TOKENS, 5]],
}


@pytest.fixture(params=WRITERS.values(), ids=WRITERS)
def write(request: pytest.FixtureRequest) -> Writer:
    return request.param


def test_as_many_as_can_be_counted_are_read(write, tmp_path):
    corpus = read_corpus(write(tmp_path, MOST))
    assert corpus.n_tokens == MAX_TOKENS == corpus.doc_lengths().sum() == corpus.word_counts().sum()
    assert corpus.to_matrix().toarray().tolist() == MOST
    assert corpus.by_word().starts.tolist() == [0, MAX_TOKENS - 4, MAX_TOKENS - 5, MAX_TOKENS - 3]


@pytest.mark.parametrize("rows", TOO_MANY.values(), ids=TOO_MANY)
def test_one_more_is_refused(write, tmp_path, rows):
    n_tokens = sum(map(sum, rows))
    with pytest.raises(CapacityError, match=f"{n_tokens} tokens, but at most {MAX_TOKENS}"):
        read_corpus(write(tmp_path, rows))


@pytest.mark.parametrize("rows", TOO_MANY.values(), ids=TOO_MANY)
@pytest.mark.parametrize(
    "kind", [np.array, np.uint32, np.float64, sparse.csr_matrix, sparse.coo_array], ids=str
)
def test_a_matrix_with_one_more_is_refused(kind, rows):
    with pytest.raises(CapacityError, match=f"{sum(map(sum, rows))} tokens"):
        Corpus.from_matrix(kind(rows))


def test_repeated_entries_that_add_up_to_more_are_refused():
    """SciPy would add them in 32 bits and turn around."""
    place = ([0, 0], [1, 1])
    repeated = sparse.coo_matrix((np.array([MAX_TOKENS, 1], dtype=np.int32), place), shape=(1, 2))
    with pytest.raises(CapacityError, match=f"has the count {MAX_TOKENS + 1}"):
        Corpus.from_matrix(repeated)
