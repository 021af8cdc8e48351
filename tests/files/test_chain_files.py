"""Files of chains: no code in them, nothing lost in writing, nothing believed in reading."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import blocklda
from blocklda.files import archive

MATRIX = np.array([[3, 1, 0], [0, 2, 1]])


def write_file(path: Path) -> blocklda.Chain:
    chain = blocklda.Chain(MATRIX, 2, seed=3)
    chain.sweep(3)
    chain.save(path)
    return chain


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good file."""
    path = tmp_path / "chain.npz"
    write_file(path)
    return path


def contents(path: Path) -> tuple[dict[str, object], dict[str, np.ndarray]]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return json.loads(arrays.pop("header").tobytes()), arrays


def rewrite(path: Path, header: dict[str, object], arrays: dict[str, np.ndarray]) -> None:
    raw = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with path.open("wb") as file:
        np.savez(file, header=raw, **arrays)


def assert_refused(path: Path, *fragments: str, corpus: object = MATRIX) -> None:
    """Refused with an error that names the file and says what is wrong."""
    with pytest.raises(blocklda.InputError) as caught:
        blocklda.Chain.load(path, corpus)
    for fragment in (path.name, *fragments):
        assert fragment in str(caught.value)


def test_a_file_holds_arrays_and_text_only(path):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            array = np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
            assert array.dtype.kind in "iuf"
    header, _ = contents(path)
    assert header["kind"] == "blocklda chain"
    assert header["version"] == 1


def test_saving_again_replaces_the_file(path):
    chain = blocklda.Chain.load(path, MATRIX)
    chain.sweep(4)
    chain.save(path)
    assert blocklda.Chain.load(path, MATRIX).n_sweeps == 7
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_path_may_be_text_and_any_name(tmp_path):
    write_file(tmp_path / "chain")
    assert blocklda.Chain.load(str(tmp_path / "chain"), MATRIX).n_sweeps == 3


# --- writing fails


def test_a_missing_folder_is_named(tmp_path):
    chain = blocklda.Chain(MATRIX, 2)
    with pytest.raises(blocklda.InputError, match=r"absent.*chain\.npz.*No such file"):
        chain.save(tmp_path / "absent" / "chain.npz")


def test_a_folder_is_no_file_to_write(tmp_path):
    chain = blocklda.Chain(MATRIX, 2)
    with pytest.raises(blocklda.InputError, match="not a file"):
        chain.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def _fills_the_disk(file: object, *_: object) -> None:
    file.write(b"the beginning")
    raise OSError(28, "No space left on device")


def _interrupted(file: object, *_: object) -> None:
    file.write(b"the beginning")
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("failing", "error"),
    [(_fills_the_disk, blocklda.InputError), (_interrupted, KeyboardInterrupt)],
    ids=["full disk", "Ctrl-C"],
)
def test_an_existing_file_stays_intact_when_writing_fails(path, monkeypatch, failing, error):
    before = path.read_bytes()
    chain = blocklda.Chain.load(path, MATRIX)
    chain.sweep()
    monkeypatch.setattr(archive, "write_arrays", failing)
    with pytest.raises(error):
        chain.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


# --- reading what is no chain


def test_a_missing_file_is_named(tmp_path):
    assert_refused(tmp_path / "absent.npz", "does not exist")


def test_a_folder_is_refused(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    assert_refused(folder)


def test_an_array_file_is_refused(tmp_path):
    np.save(tmp_path / "array.npy", np.arange(5))
    assert_refused(tmp_path / "array.npy", "not a chain")


def test_a_pickle_is_refused_without_being_run(tmp_path):
    array = tmp_path / "object.npy"
    np.save(array, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert_refused(array, "not a chain")


@pytest.mark.parametrize("content", [b"", b"just text\n", b"\x80\x04K\x01.", b"PK\x03\x04"])
def test_other_files_are_refused(tmp_path, content):
    other = tmp_path / "other.npz"
    other.write_bytes(content)
    assert_refused(other, "not a chain")


def test_another_archive_is_refused(tmp_path):
    other = tmp_path / "other.npz"
    np.savez(other, x=np.arange(3))
    assert_refused(other, "header")


def test_every_truncated_file_is_refused(path):
    whole = path.read_bytes()
    for length in range(0, len(whole), 13):
        path.write_bytes(whole[:length])
        assert_refused(path)


@pytest.mark.parametrize(("flip", "step"), [(0x01, 1), (0x80, 3)])
def test_a_flipped_bit_is_refused_or_harmless(path, flip, step):
    """Some bytes of an archive, such as dates, carry nothing; all others are noticed."""
    good = blocklda.Chain.load(path, MATRIX)
    good.sweep()
    whole = bytearray(path.read_bytes())
    refusals = []
    for i in range(0, len(whole), step):
        whole[i] ^= flip
        path.write_bytes(whole)
        whole[i] ^= flip
        try:
            chain = blocklda.Chain.load(path, MATRIX)
        except blocklda.InputError as error:
            refusals.append(str(error))
            continue
        chain.sweep()
        assert chain.assignments().tolist() == good.assignments().tolist(), f"byte {i}"
        assert chain.n_sweeps == good.n_sweeps, f"byte {i}"
    assert len(refusals) > len(whole) / step / 2
    assert all(path.name in message for message in refusals)


# --- reading another chain


@pytest.mark.parametrize(
    "other",
    [
        [[3, 1, 0], [0, 2, 2]],
        [[3, 1, 0, 0], [0, 2, 1, 0]],
        [[0, 2, 1], [3, 1, 0]],
        [[3, 1, 0], [0, 2, 1], [0, 0, 0]],
    ],
    ids=["another count", "one more word", "another order", "one more document"],
)
def test_another_corpus_is_refused(path, other):
    assert_refused(path, "another corpus", corpus=np.array(other))


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_another_version_is_refused(path, version):
    header, arrays = contents(path)
    rewrite(path, {**header, "version": version}, arrays)
    assert_refused(path, repr(version), "version 1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "blocklda corpus"),
        ("max_block", -3),
        ("convolution", "slow"),
        ("n_threads", 0),
        ("n_sweeps", "many"),
        ("sampler", "unheard of"),
        ("backend", "abacus"),
        ("generator", None),
        ("generator", {"bit_generator": "MT19937"}),
    ],
)
def test_a_header_that_says_nonsense_is_refused(path, name, value):
    header, arrays = contents(path)
    rewrite(path, {**header, name: value}, arrays)
    with pytest.raises(blocklda.InputError):
        blocklda.Chain.load(path, MATRIX)


@pytest.mark.parametrize("missing", ["corpus", "sampler", "n_steps", "generator", "max_block"])
def test_a_header_without_a_field_is_refused(path, missing):
    header, arrays = contents(path)
    del header[missing]
    rewrite(path, header, arrays)
    with pytest.raises(blocklda.InputError):
        blocklda.Chain.load(path, MATRIX)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("topics", np.zeros(6, dtype=np.int32)),
        ("topics", np.full(7, 2, dtype=np.int32)),
        ("topics", np.full(7, -1, dtype=np.int32)),
        ("topics", np.zeros(7)),
        ("alpha", np.array([0.1, -0.1])),
        ("alpha", np.array([0.1, np.nan])),
        ("alpha", np.array([0.1])),
        ("beta", np.array([[0.1, np.inf]])),
        ("beta", np.ones((2, 2))),
        ("beta_sum", np.ones(3)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(path, name, value):
    header, arrays = contents(path)
    rewrite(path, header, {**arrays, name: value})
    with pytest.raises(blocklda.InputError):
        blocklda.Chain.load(path, MATRIX)


def test_a_missing_array_is_refused(path):
    header, arrays = contents(path)
    del arrays["topics"]
    rewrite(path, header, arrays)
    assert_refused(path, "topics")
