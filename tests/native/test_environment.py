"""The environment variable that chooses the instruction set."""

from __future__ import annotations

import os
import subprocess
import sys

from blocklda import _native
from blocklda.support.instruction_set import VARIABLE

ASK = "from blocklda import _native; print(_native.active_instruction_set())"


def ask(value: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, VARIABLE: value}
    return subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=False
    )


def test_every_instruction_set_can_be_named():
    for name in _native.instruction_sets():
        assert ask(name).stdout.strip() == name


def test_an_empty_value_means_the_widest():
    assert ask("").stdout.strip() == _native.instruction_sets()[-1]


def test_an_unknown_one_is_refused_by_name():
    answer = ask("mmx")
    assert answer.returncode != 0
    assert f"{VARIABLE}='mmx' is not an instruction set" in answer.stderr
