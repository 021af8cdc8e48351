"""Calls in a process of their own: limits hold, and errors and warnings come back."""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import blocklda
from blocklda.support.child import call_in_child
from tests.cli.terminal import run

LIMITS = {"what": "x.h5ad", "seconds": 60.0, "n_bytes": 4 * 2**30}


def say(word: str, *, warn: bool = False) -> str:
    if warn:
        warnings.warn(blocklda.DataWarning("one document is empty"), stacklevel=1)
    return word


def refuse() -> None:
    raise blocklda.InputError("there is no file x; check the name.")


def take(n_bytes: int) -> int:
    return len(bytearray(n_bytes))


def test_what_a_call_returns_and_warns_of():
    with pytest.warns(blocklda.DataWarning, match="one document is empty"):
        assert call_in_child(say, "word", warn=True, **LIMITS) == "word"


def test_errors_of_ours_come_back():
    with pytest.raises(blocklda.InputError, match="there is no file x"):
        call_in_child(refuse, **LIMITS)


def test_a_call_that_hangs_is_ended():
    with pytest.raises(blocklda.FileFormatError, match=r"x.h5ad: it was not read within 1 s"):
        call_in_child(time.sleep, 600, **{**LIMITS, "seconds": 1.0})


def test_a_crash_is_a_sentence():
    with pytest.raises(blocklda.FileFormatError, match="crashed with exit code"):
        call_in_child(os.abort, **LIMITS)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_memory_is_limited():
    with pytest.raises(blocklda.FileFormatError, match="needs more than 4 GiB of memory"):
        call_in_child(take, 6 * 2**30, **LIMITS)


def test_the_command_line_reads_as_python_does(tmp_path: Path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    texts = ["red apples and pears", "pears and more pears", "red wine"] * 3
    parquet.write_table(arrow.table({"text": texts}), tmp_path / "texts.parquet")
    expected = blocklda.read_corpus(tmp_path / "texts.parquet")
    for options in ((), ("--trusted",)):
        result = run(
            "convert", tmp_path / "texts.parquet", tmp_path / "texts.npz", "--force", *options
        )
        assert result.exit_code == 0, result.stderr
        found = blocklda.read_corpus(tmp_path / "texts.npz")
        np.testing.assert_array_equal(found.to_matrix().toarray(), expected.to_matrix().toarray())


def test_a_damaged_file_is_told_as_in_python(tmp_path: Path):
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"no HDF5")
    result = run("fit", path, "-k", "2")
    assert result.exit_code == 2
    assert "is not an AnnData file that can be read" in result.stderr
