"""Victims seen from outside: started, awaited, killed, and how they ended."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import forkserver
from pathlib import Path

from torture.victim import Suffering, suffer

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 300.0
"""Seconds after which a victim that does not end is a failure."""

# Victims are forked from a process that has done the imports, or most kills would hit those.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["torture.victim"])


def serve_victims(shim: Path | None) -> None:
    """Let victims be forked from a new server, which has a library preloaded; or from none yet."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]  # it has no public name
    if shim is None:
        return
    before = os.environ.get("LD_PRELOAD")
    os.environ["LD_PRELOAD"] = str(shim)
    try:
        forkserver.ensure_running()
    finally:
        del os.environ["LD_PRELOAD"]
        if before is not None:
            os.environ["LD_PRELOAD"] = before


@dataclass(frozen=True)
class Ending:
    """How a victim ended."""

    code: int
    stdout: str
    stderr: str
    told: list[str]
    seconds: float
    """Since it began to sweep, or since its start if it never did."""

    @property
    def was_killed(self) -> bool:
        return self.code == -signal.SIGKILL

    def n_steps(self, until: str) -> int:
        """Return the steps of writing until it "began" to sweep, "fitted" or came to an "end"."""
        return next(int(line.split()[1]) for line in self.told if line.startswith(until))


class Victim:
    """A process that fits, and does as it is told."""

    def __init__(self, task: Sequence[str], log: Path, suffering: Suffering | None = None) -> None:
        self._connection, of_child = _context.Pipe()
        self._told: list[str] = []
        self._log = log
        arguments = (list(task), suffering or Suffering(), of_child, str(log))
        self._process = _context.Process(target=suffer, args=arguments)
        self._process.start()
        of_child.close()
        self._start = time.perf_counter()

    def wait_for(self, notice: str) -> bool:
        """Wait until it tells something; False if it ended without."""
        try:
            while (told := self._connection.recv()) != notice:
                self._told.append(told)
        except (EOFError, ConnectionResetError):
            return False
        self._told.append(notice)
        self._start = time.perf_counter()
        return True

    def go_on(self) -> None:
        """Let it go on after a pause."""
        self._connection.send("go on")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal if it still lives."""
        if self._process.is_alive() and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def killed(self, after: float = 0.0) -> Ending:
        """Kill it after some seconds, if it lives that long."""
        self._process.join(after)
        self.signal(signal.SIGKILL)
        return self.ended()

    def ended(self) -> Ending:
        """Wait for the end."""
        start = self._start
        self.wait_for("the end")
        self._process.join(PATIENCE)
        code = self._process.exitcode
        if code is None:
            self._process.kill()
            raise TimeoutError(f"a victim did not end within {PATIENCE:.0f} s: see {self._log}.err")
        self._connection.close()
        out, err = (Path(f"{self._log}.{name}") for name in ("out", "err"))
        stdout, stderr = (path.read_text() if path.exists() else "" for path in (out, err))
        return Ending(code, stdout, stderr, self._told, time.perf_counter() - start)


def disturbed(victim: Victim, mischief: Callable[[], object]) -> Ending:
    """Do something to the files of a victim while it pauses, and let it go on."""
    if victim.wait_for("paused"):
        mischief()
        victim.go_on()
    return victim.ended()


def untouched(task: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Do the same task in a fresh process that nobody watches."""
    module = ["torture.victim", *task[1:]] if task[0] == "library" else ["blocklda", *task]
    return subprocess.run(
        [sys.executable, "-m", *module], cwd=ROOT, capture_output=True, text=True, check=False
    )
