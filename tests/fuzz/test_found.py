"""Every broken file that once came out as something else than a refusal."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import blocklda
from blocklda.evaluate.compare import ComparisonPlan
from blocklda.experiments.run_files import RunFiles
from blocklda.files.archive import write_archive
from blocklda.files.npy_header import read_npy_header
from blocklda.formats import read_corpus
from blocklda.models.base import LOG_PREDICTIVE
from blocklda.support.errors import CapacityError, FileFormatError

SMALL = blocklda.Corpus.from_matrix([[2, 1, 0], [1, 0, 3]])

CSR = {
    "format": np.array(b"csr"),
    "shape": np.array([2, 3]),
    "data": np.array([2, 1, 1, 3]),
    "indices": np.array([0, 1, 0, 2], dtype=np.int32),
    "indptr": np.array([0, 2, 4], dtype=np.int32),
}


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def with_header(text: bytes, content: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text + b"\n" + content


def packed(path: Path, **members: bytes) -> Path:
    """Write an archive of SciPy's, some of its arrays replaced by these bytes."""
    arrays = {name: npy(array) for name, array in CSR.items()} | members
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)
    return path


def test_the_archive_that_these_cases_break_can_be_read(tmp_path) -> None:
    assert read_corpus(packed(tmp_path / "x.npz")).fingerprint == SMALL.fingerprint


HEADERS = {
    # Python's parser gives up with MemoryError on the first two, tokenize on the third.
    "many signs": b"-" * 9000 + b"1",
    "many lambdas": b"(lambda:" * 1000,
    "many brackets": b"[" * 190,
    "an object": b"{'descr': '|O', 'fortran_order': False, 'shape': (4,), }",
    "a table": b"{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (4,), }",
    "no type": b"{'descr': '<q9', 'fortran_order': False, 'shape': (4,), }",
    "256 PiB": b"{'descr': '<i4', 'fortran_order': False, 'shape': (72057594037927936,), }",
    "16 GiB": b"{'descr': '<i8', 'fortran_order': False, 'shape': (2147483648,), }",
    "more than 64 bits": b"{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }" % 10**40,
    "many dimensions": b"{'descr': '<i8', 'fortran_order': False, 'shape': (%s), }" % (b"1, " * 70),
    "a negative size": b"{'descr': '<i8', 'fortran_order': False, 'shape': (-4,), }",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
@pytest.mark.parametrize("name", ["data", "indptr", "shape"])
def test_headers_of_arrays_in_matrices(tmp_path, name, header) -> None:
    path = packed(tmp_path / "x.npz", **{name: with_header(header, b"\0" * 32)})
    with pytest.raises(FileFormatError, match=r"x\.npz holds neither a corpus"):
        read_corpus(path)


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_headers_of_arrays_in_chains(tmp_path, header) -> None:
    path = tmp_path / "chain.npz"
    blocklda.Chain(SMALL, 2).save(path)
    with zipfile.ZipFile(path) as archive:
        members = {one.filename: archive.read(one) for one in archive.infolist()}
    members["topics.npy"] = with_header(header, b"\0" * 32)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(FileFormatError, match=r"is not a chain that can be read: 'topics'"):
        blocklda.Chain.load(path, SMALL)


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3), np.array(5), np.zeros((0, 2), "i4")]
)
def test_headers_that_numpy_writes_are_read(version, array) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version)
    header = read_npy_header(stream.getvalue())
    assert (header.version, header.dtype, header.shape) == (version, array.dtype, array.shape)
    assert header.n_bytes == len(stream.getvalue())
    assert header.fortran_order == (array.flags.f_contiguous and not array.flags.c_contiguous)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("shape", np.array([np.nan, 3.0])),  # NumPy warned, then the shape was any number
        ("shape", np.array([2 + 1j, 3])),
        ("indices", np.array([0, 1, 0, np.nan])),
        ("indptr", np.array([0, 2, np.inf])),
    ],
)
def test_places_in_matrices_that_are_no_whole_numbers(tmp_path, name, array) -> None:
    with pytest.raises(FileFormatError, match=f"'{name}' holds .*, not whole numbers"):
        read_corpus(packed(tmp_path / "x.npz", **{name: npy(array)}))


def test_a_count_as_large_as_can_be(monkeypatch) -> None:
    """Tables of watched tokens took 16 GiB before the fit compared its needs with memory."""
    counts = np.array([[2**31 - 9, 1], [1, 1]])
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 2**30)
    with pytest.raises(CapacityError, match=r"watching 4294967284 tokens of 4 pairs"):
        blocklda.LDA(n_topics=2, n_sweeps=9).fit(counts)


# --- parts of studies


@pytest.fixture
def plan() -> ComparisonPlan:
    return ComparisonPlan.create(
        [[2, 1, 1], [1, 2, 3]], ("single-site", "nested"), 2, alpha=0.1, beta=0.1, n_sweeps=4,
        n_starts=1, heldout_docs=[1], window=2, seed=1,
    )  # fmt: skip


@pytest.mark.parametrize(
    "seconds", [np.zeros((2, 5), complex), np.zeros((2, 5), "<U3"), np.zeros((2, 4)), np.zeros(5)]
)
def test_curves_of_another_kind_or_shape(tmp_path, plan, seconds) -> None:
    files = RunFiles(tmp_path, {})
    arrays = {name: np.zeros(shape) for name, shape in plan.curve_shapes.items()}
    files.write("start-00", arrays)
    assert files.read("start-00", plan.curve_shapes).keys() == arrays.keys()
    files.write("start-00", arrays | {"seconds": seconds})
    with pytest.raises(FileFormatError, match="'seconds'"):
        files.read("start-00", plan.curve_shapes)


@pytest.mark.parametrize("sweeps", [(2, 4), (2, 10**9), (1, 1), (6, 6), (10**30, 10**30)])
def test_a_start_put_aside_whose_chains_are_elsewhere(tmp_path, plan, sweeps) -> None:
    start = plan.start(0)
    start.turn()
    start.turn()
    facts, arrays = start.to_parts()
    files = RunFiles(tmp_path, {})
    for header, n_sweeps in zip(facts["chains"], sweeps, strict=True):
        header["n_sweeps"] = n_sweeps
    files.write("start-00", arrays, facts)
    with (
        pytest.raises(FileFormatError, match="its chains are at the sweeps"),
        files.opened("start-00") as archive,
    ):
        plan.start(0).go_on_from(archive)


def test_a_manifest_without_end(tmp_path) -> None:
    (tmp_path / "model.json").symlink_to("/dev/zero")
    with pytest.raises(FileFormatError, match="not a regular file"):
        blocklda.LDA.load(tmp_path)


@pytest.mark.parametrize("end", [-(2**31), 2**31 - 1, 5, -1])
def test_pointers_of_blocks_that_lead_outside(tmp_path, end) -> None:
    path = packed(
        tmp_path / "x.npz",
        format=npy(np.array(b"bsr")),
        data=npy(np.ones((4, 1, 1), dtype=np.int64)),
        indptr=npy(np.array([0, 2, end], dtype=np.int32)),
    )
    with pytest.raises(FileFormatError, match=r"x\.npz.*(damaged|holds neither)"):
        read_corpus(path)


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("field", [20, 24])
def test_sizes_in_the_list_of_an_archive(tmp_path, ours, field) -> None:
    """Python's zipfile allocates what the list announces, 2 GiB here, before it reads."""
    path = packed(tmp_path / "x.npz")
    if ours:
        blocklda.write_corpus(SMALL, path)
    content = bytearray(path.read_bytes())
    for start in [i for i in range(len(content)) if content.startswith(b"PK\x01\x02", i)]:
        content[start + field : start + field + 4] = (2**31 - 2).to_bytes(4, "little")
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises((FileFormatError, CapacityError), match=r"x\.npz"):
        read_corpus(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


def test_archives_that_announce_themselves_twice(tmp_path) -> None:
    """Of two arrays with one name the last one counts, for whoever looks at it."""
    path = tmp_path / "x.npz"
    write_archive(path, {"kind": "blocklda corpus", "version": 1, "n_words": 3}, {})
    header = npy(np.frombuffer(json.dumps({"kind": "other"}).encode(), dtype=np.uint8))
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("header.npy", header)
    with pytest.raises(FileFormatError, match="header is not that of a blocklda corpus"):
        read_corpus(path)


@pytest.mark.filterwarnings("error")
def test_a_run_of_an_hdp_whose_predictions_are_as_low_as_numbers_can_be() -> None:
    corpus = blocklda.Corpus.from_matrix(np.ones((3, 4), dtype=int))
    model = blocklda.HDP(n_sweeps=6, burn_in=2, random_state=1).plan(corpus).model
    support = model.support(np.zeros(2), {LOG_PREDICTIVE: [-1.7e308, -1.7e308]})
    assert support == -np.inf
