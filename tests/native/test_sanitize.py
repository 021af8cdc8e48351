"""The kernels in a program without Python, under the address and undefined behaviour sanitizers.

This is the short form: the plain build, a few corpora. `make sanitize` has every build, more
corpora, and threads.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MAKE = ["make", "--no-print-directory", "-C", str(REPOSITORY / "native" / "sanitize"), "quick"]

# One worker builds; the others would build the same files at the same time.
pytestmark = [pytest.mark.xdist_group("sanitize"), pytest.mark.long]


@pytest.fixture(scope="module")
def quick() -> subprocess.CompletedProcess[str]:
    """Build the driver and run its short form; where CI runs, there must be a compiler."""
    if shutil.which("make") is None or shutil.which("g++") is None:
        reason = "make and g++ are needed to build the kernels with sanitizers"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    fcntl = pytest.importorskip("fcntl")
    folder = REPOSITORY / "build"
    folder.mkdir(exist_ok=True)
    with (folder / "sanitize.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a worker that builds the same files has to wait
        # Not as a part of the `make -j` that may have started these tests: its jobs are not ours.
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS"))
        }
        command = [*MAKE, "CXX=g++"]
        return subprocess.run(command, env=own, capture_output=True, text=True, check=False)


def test_no_sanitizer_has_something_to_report(quick):
    assert quick.returncode == 0, quick.stderr[-4000:]
    assert "builds: baseline: every kernel ended well" in quick.stdout
    assert "warning" not in quick.stderr


@pytest.mark.parametrize(
    ("fault", "report", "place"),
    [
        ("short-table", "heap-buffer-overflow", "augmented.cpp"),
        ("no-number", "runtime error", "draw.hpp"),
    ],
)
def test_a_fault_inside_a_kernel_is_found(quick, fault, report, place):
    assert quick.returncode == 0
    driver = REPOSITORY / "build" / "sanitize" / "quick" / "driver"
    answer = subprocess.run([driver, "wrong", fault], capture_output=True, text=True, check=False)
    assert answer.returncode != 0
    assert report in answer.stderr
    assert place in answer.stderr
