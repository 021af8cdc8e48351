"""Processes killed by SIGKILL at random moments, most of them while a checkpoint is written."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.faults.fits import COUNTS, make, results

ROOT = Path(__file__).resolve().parents[2]


def run_process(name: str, folder: Path, seconds: float, out: Path) -> int:
    command = [sys.executable, "-m", "tests.faults.killed_fit", name, folder, str(seconds), out]
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


@pytest.mark.parametrize("name", ["two threads", "sampled priors"])
def test_a_killed_run_ends_as_one_never_interrupted(name, tmp_path):
    delays = np.random.default_rng(len(name)).uniform(0.02, 0.8, size=3)
    folder, out = tmp_path / "checkpoint", tmp_path / "results.npz"
    for seconds in delays:
        assert run_process(name, folder, seconds, out) == -signal.SIGKILL
    assert run_process(name, folder, 0, out) == 0
    whole = results(make(name, n_sweeps=160).fit(COUNTS))
    with np.load(out) as found:
        assert set(found.files) == set(whole)
        for key, values in whole.items():
            assert np.array_equal(found[key], values), f"{key} differs"
