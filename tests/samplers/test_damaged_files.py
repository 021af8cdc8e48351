"""Files of chains that were damaged anywhere, or whose writing was interrupted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import blocklda

MATRIX = np.array([[3, 1, 0], [0, 2, 1]])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A good file."""
    chain = blocklda.Chain(MATRIX, 2, seed=3)
    chain.sweep(3)
    chain.save(tmp_path / "chain.npz")
    return tmp_path / "chain.npz"


def test_a_file_cut_anywhere_is_refused(path):
    whole = path.read_bytes()
    for length in range(0, len(whole), 13):
        path.write_bytes(whole[:length])
        with pytest.raises(blocklda.FileFormatError, match=path.name):
            blocklda.Chain.load(path, MATRIX)


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


@pytest.mark.parametrize(("name", "value"), [("max_block", -3), ("n_threads", 0), ("corpus", None)])
def test_settings_that_no_chain_can_have_are_refused(path, name, value):
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(arrays["header"].tobytes()) | {name: value}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(blocklda.InputError):
        blocklda.Chain.load(path, MATRIX)


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
def test_a_corpus_that_is_nearly_the_same_is_refused(path, other):
    with pytest.raises(blocklda.InputError, match="another corpus"):
        blocklda.Chain.load(path, np.array(other))


def test_ctrl_c_while_writing_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    before = path.read_bytes()
    chain = blocklda.Chain.load(path, MATRIX)
    chain.sweep()

    def interrupted(file: object, **arrays: object) -> None:
        file.write(b"the beginning")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupted)
    with pytest.raises(KeyboardInterrupt):
        chain.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
