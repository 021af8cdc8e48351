"""NPZ archives of SciPy, of blocklda, and of others."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.formats import read_corpus, write_corpus
from blocklda.support.errors import CapacityError, FileFormatError, InputError
from tests.formats.refusals import counts_of, refused, write

COUNTS = [[0, 2, 0, 1], [0, 0, 0, 0], [3, 1, 0, 1]]


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("kind", [np.int64, np.float32, np.uint8])
@pytest.mark.parametrize("compressed", [True, False])
def test_what_scipy_writes(tmp_path: Path, layout: str, kind: type, compressed: bool) -> None:
    path = tmp_path / "x.npz"
    matrix = sparse.csr_matrix(np.array(COUNTS, dtype=kind)).asformat(layout)
    sparse.save_npz(path, matrix, compressed=compressed)
    assert counts_of(read_corpus(path)) == COUNTS
    write(tmp_path, b"a\nb\nc\nd\n", "x.vocab")
    assert read_corpus(path).vocabulary == tuple("abcd")
    assert read_corpus(path, vocabulary=list("efgh")).vocabulary == tuple("efgh")


def test_sparse_arrays(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    sparse.save_npz(path, sparse.coo_array(np.array(COUNTS)))
    assert counts_of(read_corpus(path)) == COUNTS


@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
def test_repeats_are_refused(tmp_path: Path, layout: str) -> None:
    if layout == "coo":
        matrix: Any = sparse.coo_matrix(([1, 2, 0, 4], ([0, 1, 1, 1], [0, 2, 2, 2])), shape=(2, 3))
    else:
        make = sparse.csr_matrix if layout == "csr" else sparse.csc_matrix
        shape = (2, 3) if layout == "csr" else (3, 2)
        matrix = make(([1, 2, 4], [0, 2, 2], [0, 1, 3]), shape=shape)
    path = tmp_path / "x.npz"
    sparse.save_npz(path, matrix)
    place = (2, 1) if layout == "csc" else (1, 2)
    said = "document (row) {}, word (column) {} is stored more than once".format(*place)
    assert said in refused(path)


def test_numbers_that_are_no_counts(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    sparse.save_npz(path, sparse.csr_matrix([[0.5, 1]]))
    message = refused(path)
    assert "x.npz: document (row) 0, word (column) 0 has the count 0.5" in message
    sparse.save_npz(path, sparse.csr_matrix([[1j, 1]]))
    assert "complex" in refused(path)


def test_other_archives(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, a=np.arange(3))
    assert "holds neither a corpus of blocklda nor a matrix" in refused(path)
    np.savez(path, format=np.array(["csr"], dtype=object), allow_pickle=True)
    assert "holds neither" in refused(path)
    path.write_bytes(b"no archive")
    assert "holds neither" in refused(path)
    path.write_bytes(b"")
    assert "holds neither" in refused(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", b"rubbish")
    assert "is not a blocklda corpus that can be read" in refused(path)
    assert "there is no file" in refused(tmp_path / "none.npz", InputError)


@pytest.mark.parametrize("damage", ["cut", "flipped"])
@pytest.mark.parametrize("ours", [True, False])
def test_damaged_archives(tmp_path: Path, damage: str, ours: bool) -> None:
    corpus = Corpus.from_matrix(np.random.default_rng(0).integers(0, 3, (40, 30)))
    path = tmp_path / "x.npz"
    if ours:
        write_corpus(corpus, path)
    else:
        sparse.save_npz(path, corpus.to_matrix())
    content = bytearray(path.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    else:
        content[len(content) // 3] ^= 0xFF
    path.write_bytes(bytes(content))
    assert "x.npz" in refused(path, FileFormatError)


def test_indices_that_lead_outside(tmp_path: Path) -> None:
    matrix = sparse.csr_matrix([[1, 2], [3, 4]])
    matrix.indices[0] = 7
    path = tmp_path / "x.npz"
    np.savez(
        path,
        format=b"csr",
        shape=matrix.shape,
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
    )
    assert "x.npz" in refused(path)


def test_an_archive_beyond_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.npz"
    sparse.save_npz(path, sparse.csr_matrix(np.ones((1000, 1000))))
    assert path.stat().st_size < 10**6
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 10**6)
    assert "x.npz: the matrix needs" in refused(path, CapacityError)


def test_a_vocabulary_that_does_not_fit_a_corpus(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    write_corpus(Corpus.from_matrix(COUNTS), path)
    assert "x.npz: the vocabulary has 1 words" in refused(path, vocabulary=["a"])
