"""Small files that unpack without end: refused when the memory, here a little, would not do."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from scipy import sparse

from blocklda.formats import read_corpus, read_texts, read_vocabulary
from blocklda.formats.words import counting
from blocklda.support.errors import CapacityError, FileFormatError

LITTLE = 2**22
"""Bytes that readers are told there are."""
ENOUGH = 2**25
"""What they may take all the same, to look at what is announced."""


@pytest.fixture(autouse=True)
def little_memory(monkeypatch) -> None:
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: LITTLE)
    monkeypatch.setattr("blocklda.formats.numbers.h5ad_items.available_bytes", lambda: LITTLE)
    monkeypatch.setattr("blocklda.support.memory.WORTH_ASKING", 2**16)
    monkeypatch.setattr(counting, "PIECE_TOKENS", 2**12)


LINES = {
    "x.csv": (b'text,n\n"', b"a " * 500 + b"\n", "a text of [0-9]+ characters and more"),
    "x.jsonl": (b'{"text": "', b"a " * 500, "a text of [0-9]+ characters and more"),
    "x.mallet": (b"a X b\n", b"a X bb cc\n", "counting more words after [0-9]+ documents"),
    "x.tsv": (b"text\tn\n", b"aa\t1\n", "counting more words after [0-9]+ documents"),
    "x.state": (b"#doc source pos typeindex type topic\n", b"#\n", "lines that begin with #"),
    "x.mtx": (
        b"%%MatrixMarket matrix coordinate real general\n",
        b"%\n",
        "lines that begin with %",
    ),
    "x.ldac": (b"1 0:1\n", b"0\n", "continuing to read"),
    "x.svm": (b"0 1:1\n", b"0\n", "continuing to read"),
}


@pytest.mark.parametrize("name", LINES)
def test_packed_lines(tmp_path: Path, name: str) -> None:
    start, line, said = LINES[name]
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(start + line * (2**22 // len(line)), 1))
    assert path.stat().st_size < 2**19
    with pytest.raises(CapacityError, match=said):
        read_corpus(path)


@pytest.mark.parametrize("line", [b"aa bb\n", b"\n"])
def test_packed_texts(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(line * (2**20 // len(line)), 1))
    with pytest.raises(CapacityError, match="counting more words after"):
        read_corpus(path, format="lines")


def test_packed_documents_without_text(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"text,year\n" + b",1\n" * 2**17, 1))
    with pytest.raises(CapacityError, match="continuing to read"):
        read_texts(path, group_column="year")


def test_packed_words(tmp_path: Path) -> None:
    path = tmp_path / "words.gz"
    path.write_bytes(gzip.compress(b"a\n" * 2**23, 1))
    with pytest.raises(CapacityError, match="continuing to read"):
        read_vocabulary(path)


def test_a_packed_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "docword.x.txt.gz"
    path.write_bytes(gzip.compress(b"1" * 2**25, 1))
    with pytest.raises(FileFormatError, match="line 1: the line is longer than"):
        read_corpus(path)


def test_a_packed_matrix(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    sparse.save_npz(path, sparse.csr_matrix(np.ones((2, 2**20), dtype=np.int8)))
    with pytest.raises(CapacityError, match="the matrix needs"):
        read_corpus(path)


def test_packed_rows_of_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pyarrow.parquet.write_table(pa.table({"text": ["aa bb"] * 2**18}), path)
    assert path.stat().st_size < 2**14
    with pytest.raises(CapacityError, match="counting more words after"):
        read_corpus(path)


# --- HDF5


@contextmanager
def bounded() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < ENOUGH
    finally:
        tracemalloc.stop()


def packed(group: h5py.Group, name: str, length: int, chunk: int = 2**10) -> None:
    """Add zeros that are nowhere in the file."""
    group.create_dataset(name, (length,), "i8", chunks=(chunk,), maxshape=(None,))


def names_of_one_string(group: h5py.Group, n: int, length: int) -> None:
    """Let many names be one long string that is stored once, by copying where it is."""
    kind = h5py.string_dtype()
    group.create_dataset("_index", (n,), kind, chunks=(n,), fillvalue="a" * length)


def h5ad(path: Path, **lengths: int) -> None:
    sizes = {"data": 4, "indices": 4, "indptr": 3, "chunk": 2**10, "names": 2} | lengths
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"] = "csr_matrix"
        group.attrs["shape"] = (2, 3)
        for name in ("data", "indices", "indptr"):
            packed(group, name, sizes[name], sizes["chunk"] if name == "data" else 2**10)
        for axis, n in (("obs", sizes["names"]), ("var", 3)):
            file.create_group(axis).attrs["_index"] = "_index"
            names_of_one_string(file[axis], n, lengths.get("letters", 1))


@pytest.mark.parametrize("part", ["data", "indices", "indptr", "chunk"])
def test_numbers_that_hdf5_does_not_store(tmp_path: Path, part: str) -> None:
    path = tmp_path / "x.h5ad"
    h5ad(path, **{part: 2**28})
    assert path.stat().st_size < 2**16
    with bounded(), pytest.raises(CapacityError, match=r"x\.h5ad: .*X.* needs"):
        read_corpus(path)


@pytest.mark.parametrize(("names", "letters"), [(2**20, 1), (2**13, 2**15)])
def test_names_that_hdf5_stores_once(tmp_path: Path, names: int, letters: int) -> None:
    path = tmp_path / "x.h5ad"
    h5ad(path, names=names, letters=letters)
    assert path.stat().st_size < 2**18
    with bounded(), pytest.raises(CapacityError, match="_index"):
        read_corpus(path)


def test_a_dense_matrix_that_hdf5_does_not_store(tmp_path: Path) -> None:
    path = tmp_path / "x.h5ad"
    with h5py.File(path, "w") as file:
        file.create_dataset("X", (3, 2**40), "f8", chunks=(1, 2**10))
    with bounded(), pytest.raises(CapacityError, match=r"x\.h5ad: .*X of shape"):
        read_corpus(path)
    with h5py.File(path, "w") as file:
        file.create_dataset("X", (1, 1), data=[[0.5]])
        file.create_dataset("layers/a", (3, 2**40), "f8", chunks=(1, 2**10))
    with bounded(), pytest.raises(CapacityError, match=r"x\.h5ad: /layers/a of shape"):
        read_corpus(path)
