"""AnnData files, laid out by hand as its versions have laid them out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.formats import read_corpus
from blocklda.formats.numbers import h5ad_matrix
from blocklda.support.errors import CapacityError, InputError
from blocklda.support.extras import install_command
from tests.formats.refusals import refused

COUNTS = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 1, 0, 1]])
GENES = ["GAPDH", "naïve", "g3", "g4"]
CELLS = ["AAC-1", "AAG-1", "ACT-1"]
EXPECTED = Corpus.from_matrix(COUNTS, GENES)


def write_sparse(group: Any, matrix: Any, old: bool = False) -> None:
    kind = matrix.format
    if old:
        group.attrs["h5sparse_format"] = np.bytes_(kind)
        group.attrs["h5sparse_shape"] = matrix.shape
    else:
        group.attrs["encoding-type"] = f"{kind}_matrix"
        group.attrs["encoding-version"] = "0.1.0"
        group.attrs["shape"] = matrix.shape
    for name in ("data", "indices", "indptr"):
        group[name] = getattr(matrix, name)


def write_index(group: Any, names: list[str], how: str) -> None:
    """An index as vlen strings, fixed bytes, a nullable array or a categorical."""
    group.attrs["_index"] = "_index"
    if how == "bytes":
        group["_index"] = np.array([name.encode() for name in names])
    elif how == "nullable":
        group.create_group("_index")["values"] = names
        group["_index"]["mask"] = np.zeros(len(names), dtype=bool)
    elif how == "categorical":
        kinds = sorted(set(names))
        group.create_group("_index")["categories"] = kinds
        group["_index"]["codes"] = np.array([kinds.index(name) for name in names], dtype=np.int8)
    else:
        group["_index"] = names


def write_h5ad(
    path: Path,
    X: Any,
    *,
    index: str = "strings",
    old: bool = False,
    genes: list[str] = GENES,
    cells: list[str] = CELLS,
) -> Path:
    with h5py.File(path, "w") as file:
        if sparse.issparse(X):
            write_sparse(file.create_group("X"), X, old)
        elif X is not None:
            file["X"] = X
        for axis, names in (("obs", cells), ("var", genes)):
            if index == "table":
                rows = [(name.encode(), 1) for name in names]
                file[axis] = np.array(rows, dtype=[("index", "S20"), ("n", "i4")])
            else:
                write_index(file.create_group(axis), names, index)
    return path


@pytest.fixture(params=[3, 2**22], ids=["small-pieces", "one-piece"])
def _pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(h5ad_matrix, "_PIECE", request.param)


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize("layout", ["csr", "csc", "dense"])
@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint16])
@pytest.mark.parametrize("old", [False, True])
def test_matrices(tmp_path: Path, layout: str, kind: type, old: bool) -> None:
    counts = COUNTS.astype(kind)
    X = counts if layout == "dense" else sparse.csr_matrix(counts).asformat(layout)
    path = write_h5ad(tmp_path / "x.h5ad", X, old=old)
    corpus = read_corpus(path)
    assert corpus == EXPECTED
    assert corpus.doc_names == tuple(CELLS)
    assert read_corpus(path, vocabulary=list("abcd")).vocabulary == tuple("abcd")


@pytest.mark.parametrize("index", ["strings", "bytes", "nullable", "categorical", "table"])
def test_names(tmp_path: Path, index: str) -> None:
    corpus = read_corpus(write_h5ad(tmp_path / "x.h5ad", COUNTS, index=index))
    assert corpus == EXPECTED
    assert corpus.doc_names == tuple(CELLS)


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize("layout", ["csr", "csc", "dense"])
@pytest.mark.parametrize("value", [0.5, -1.0, np.nan, np.inf, 3e9])
def test_numbers_that_are_no_counts(tmp_path: Path, layout: str, value: float) -> None:
    counts = COUNTS.astype(np.float64)
    counts[2, 1] = value
    X = counts if layout == "dense" else sparse.csr_matrix(counts).asformat(layout)
    path = write_h5ad(tmp_path / "x.h5ad", X)
    message = refused(path)
    assert f"x.h5ad: X holds {value} at observation 2, variable 1, which is not a count" in message
    assert "use the data from before they were normalised" in message
    with h5py.File(path, "a") as file:
        write_sparse(file.create_group("layers/scaled"), sparse.csr_matrix(counts))
        file["layers/counts"] = COUNTS
    advice = "layers/counts holds whole numbers: if these are the counts, read them with layer='cou"
    assert advice in refused(path)
    with h5py.File(path, "a") as file:
        write_sparse(file.create_group("raw/X"), sparse.csr_matrix(COUNTS))
    assert "raw/X holds whole numbers" in refused(path)
    assert read_corpus(path, layer="counts") == EXPECTED


def test_counts_of_a_layer_or_from_before_genes_were_chosen(tmp_path: Path) -> None:
    path = write_h5ad(tmp_path / "x.h5ad", COUNTS / 10)
    with h5py.File(path, "a") as file:
        file["layers/counts"] = COUNTS
        file["raw/X"] = np.column_stack([COUNTS, [5, 0, 0]])
        write_index(file.create_group("raw/var"), [*GENES, "g5"], "strings")
    found = read_corpus(path, layer="counts")
    assert found == EXPECTED
    assert found.doc_names == tuple(CELLS)
    assert read_corpus(path, layer="raw/X").vocabulary == (*GENES, "g5")
    with pytest.raises(InputError, match=r"no layer='raw': give one of 'raw/X', 'counts'"):
        read_corpus(path, layer="raw")
    turned = read_corpus(path, layer="counts", transpose=True)
    assert (turned.vocabulary, turned.doc_names) == (tuple(CELLS), tuple(GENES))


def test_no_matrix(tmp_path: Path) -> None:
    path = write_h5ad(tmp_path / "x.h5ad", None)
    assert "x.h5ad: there is no X in the file" in refused(path)


def test_repeats(tmp_path: Path) -> None:
    X = sparse.csr_matrix(([1, 2, 4], [0, 2, 2], [0, 1, 3, 3]), shape=(3, 4))
    message = refused(write_h5ad(tmp_path / "x.h5ad", X))
    assert "document (row) 1, word (column) 2 is stored more than once" in message


def test_genes_of_the_same_name(tmp_path: Path) -> None:
    path = write_h5ad(tmp_path / "x.h5ad", COUNTS, genes=["a", "b", "a", "c"])
    assert "x.h5ad: the vocabulary has the word 'a' twice" in refused(path)


def test_names_that_are_too_few(tmp_path: Path) -> None:
    path = write_h5ad(tmp_path / "x.h5ad", COUNTS, cells=CELLS[:2])
    assert "x.h5ad: obs has 2 names, but X has the length 3 along this axis" in refused(path)


def test_other_files(tmp_path: Path) -> None:
    path = tmp_path / "x.h5ad"
    for content in (b"", b"no HDF5", b"\x89HDF\r\n\x1a\n" + b"\0" * 100):
        path.write_bytes(content)
        assert "x.h5ad is not an AnnData file that can be read" in refused(path)
    write_h5ad(path, COUNTS)
    path.write_bytes(path.read_bytes()[:-600])
    assert "x.h5ad is not an AnnData file that can be read" in refused(path)
    with h5py.File(path, "w") as file:
        file["X"] = COUNTS
    assert "x.h5ad is not an AnnData file that can be read" in refused(path)
    with h5py.File(path, "w") as file:
        file["X"] = np.arange(3)
    assert "X has the shape (3,)" in refused(path)
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        write_sparse(group, sparse.csr_matrix(COUNTS))
        group.attrs["encoding-type"] = "dataframe"
    assert "X is a 'dataframe'" in refused(path)
    with h5py.File(path, "w") as file:
        file["X"] = ["a", "b"]
    assert "x.h5ad" in refused(path)
    assert "there is no file" in refused(tmp_path / "none.h5ad", InputError)


def test_pointers_that_lead_outside(tmp_path: Path) -> None:
    matrix = sparse.csr_matrix(COUNTS)
    matrix.indices[0] = 9
    assert "x.h5ad" in refused(write_h5ad(tmp_path / "x.h5ad", matrix))


def test_a_matrix_beyond_memory(tmp_path: Path) -> None:
    """A file of a few kilobytes may announce any size."""
    path = write_h5ad(tmp_path / "x.h5ad", None)
    with h5py.File(path, "a") as file:
        group = file.create_group("X")
        group.attrs.update({"encoding-type": "csr_matrix", "shape": (3, 4)})
        for name in ("data", "indices"):
            group.create_dataset(name, shape=(10**13,), dtype="f4", chunks=(1000,))
        group["indptr"] = [0, 1, 2, 3]
    assert "X with 10000000000000 entries needs" in refused(path, CapacityError)


def test_without_h5py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_h5ad(tmp_path / "x.h5ad", COUNTS)
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert install_command("h5ad") in refused(path, InputError)


@pytest.mark.parametrize(
    ("index", "part", "missing"), [("categorical", "codes", -1), ("nullable", "mask", True)]
)
def test_a_missing_name_is_not_invented(
    tmp_path: Path, index: str, part: str, missing: Any
) -> None:
    path = write_h5ad(tmp_path / "x.h5ad", COUNTS, index=index)
    with h5py.File(path, "r+") as file:
        file["obs"]["_index"][part][1] = missing
    assert "obs has no name in row 1" in refused(path)
