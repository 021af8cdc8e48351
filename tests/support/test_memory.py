"""How much memory is left, told from made-up system files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from blocklda.support import memory
from blocklda.support.errors import CapacityError

GIB = 2**30


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


MEMINFO = {
    "proc/meminfo": f"MemTotal: 1 kB\nMemAvailable:   {8 * GIB // 1024} kB\nSwapFree: 2 kB\n"
}


def test_the_machine_alone(tmp_path: Path) -> None:
    assert memory.available_under(write(tmp_path, MEMINFO)) == 8 * GIB


def test_control_group_version_2(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/jobs/one\n",
        "sys/fs/cgroup/jobs/one/memory.max": "max\n",
        "sys/fs/cgroup/jobs/one/memory.current": f"{GIB}\n",
        "sys/fs/cgroup/jobs/memory.max": f"{4 * GIB}\n",
        "sys/fs/cgroup/jobs/memory.current": f"{3 * GIB}\n",
        "sys/fs/cgroup/jobs/memory.stat": f"anon {GIB}\ninactive_file {GIB // 2}\n",
    }
    assert memory.available_under(write(tmp_path, MEMINFO | files)) == GIB + GIB // 2


def test_control_group_of_a_container_whose_path_is_the_hosts(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/../../elsewhere/deep\n",
        "sys/fs/cgroup/memory.max": f"{2 * GIB}",
        "sys/fs/cgroup/memory.current": "0",
    }
    assert memory.available_under(write(tmp_path, MEMINFO | files)) == 2 * GIB


def test_control_group_version_1(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "5:cpu,memory:/job\n4:pids:/\n0::/\n",
        "sys/fs/cgroup/memory/job/memory.limit_in_bytes": f"{3 * GIB}\n",
        "sys/fs/cgroup/memory/job/memory.usage_in_bytes": f"{GIB}\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "0\n",
    }
    assert memory.available_under(write(tmp_path, MEMINFO | files)) == 2 * GIB


def test_a_group_over_its_limit_leaves_nothing(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/memory.max": "1000",
        "sys/fs/cgroup/memory.current": "2000",
    }
    assert memory.available_under(write(tmp_path, MEMINFO | files)) == 0


def test_systems_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert memory.available_under(tmp_path) == 4_096_000
    monkeypatch.delattr(os, "sysconf")
    assert memory.available_under(tmp_path) is None


def test_this_machine() -> None:
    available = memory.available_bytes()
    assert available is None or available > 2**20


def test_enough_memory_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "WORTH_ASKING", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    memory.require_memory(1000, "this", "do that")
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    memory.require_memory(10**30, "this", "do that")


@pytest.mark.parametrize(
    ("n_bytes", "said"),
    [
        (1001, "1001 bytes"),
        (1536, "1.5 KiB"),
        (5 * 2**20, "5.0 MiB"),
        (3 * GIB, "3.0 GiB"),
        (7 * 2**40, "7.0 TiB"),
        (9 * 2**50, "9 PiB"),
        (10**40, "8.882e+24 PiB"),
    ],
)
def test_too_little_memory_is_told(
    n_bytes: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "WORTH_ASKING", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(CapacityError) as caught:
        memory.require_memory(n_bytes, "a table of 3 rows", "use fewer topics")
    assert str(caught.value) == (
        f"a table of 3 rows needs {said} of memory, but 1000 bytes are available; use fewer topics."
    )


def test_little_is_not_worth_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(memory, "available_bytes", lambda: asked.append(1))
    memory.require_memory(memory.WORTH_ASKING, "this", "do that")
    assert not asked
    memory.require_memory(memory.WORTH_ASKING + 1, "this", "do that")
    assert asked


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits address space on Linux")
def test_the_address_space_limit_counts() -> None:
    script = (
        "import resource; from blocklda.support.memory import available_bytes as left; "
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)); print(left())"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert 0 < int(result.stdout) < 2**30
