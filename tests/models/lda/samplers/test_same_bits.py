"""The same seed gives the same bits in every process, whatever goes on around it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from blocklda import _native
from blocklda.support.instruction_set import VARIABLE

SCRIPT = Path(__file__).with_name("bits_of_a_fit.py")

N_PROCESSES = 3
"""All at once, which is load enough on most machines that run these tests. Of each instruction set,
number of threads, kernel of OpenBLAS and backend there are then two."""


def vector_extensions() -> str:
    """Return what NumPy found of this processor and could do without."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]
    return " ".join(found.get("found", []))


def surroundings(i: int) -> tuple[list[str], dict[str, str]]:
    """Return arguments and environment of process i: no two have the same."""
    names = _native.instruction_sets()
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(i),
        VARIABLE: names[i % len(names)],
        "OPENBLAS_NUM_THREADS": str(1 + i % 4),
        "OMP_NUM_THREADS": str(4 - i % 4),
    }
    if i % 3 == 1:
        # The oldest kernels that OpenBLAS has, with another order of summation.
        environment["OPENBLAS_CORETYPE"] = "Prescott"
    if i % 2:
        environment["NPY_DISABLE_CPU_FEATURES"] = vector_extensions()
    return [str(1 + i % 2), "python" if i == 2 else "native"], environment


def digests(i: int) -> list[str]:
    """Return the lines that process i prints."""
    arguments, environment = surroundings(i)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
def test_processes_under_load_print_the_same_digests():
    with ThreadPoolExecutor(N_PROCESSES) as pool:
        first, *others = pool.map(digests, range(N_PROCESSES))
    assert len(first) > 30
    for i, other in enumerate(others, start=1):
        different = [line for line, wanted in zip(other, first, strict=True) if line != wanted]
        assert different == [], surroundings(i)[0]
