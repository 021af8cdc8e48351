"""The long jobs of a night, two at a time: ``make nightly``.

Each has a limit of time. Its output is in build/nightly, with a page that names the jobs that
failed. The seed is the day's, so every night tries other files, moments and problems.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

__all__ = ["JOBS", "Job", "main", "run_jobs"]

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "nightly"


@dataclass(frozen=True)
class Job:
    """A command, without the program's name for modules of Python, and its limit in minutes."""

    name: str
    command: tuple[str, ...]
    minutes: float

    def arguments(self, seed: int) -> list[str]:
        """Return the whole command."""
        given = [one.format(seed=seed) for one in self.command]
        return given if given[0] == "make" else [sys.executable, "-m", *given]


AT_ONCE = 2

JOBS = (
    Job("coverage", ("make", "coverage"), 60),
    Job("sanitize", ("make", "sanitize"), 18),
    Job("exactness", ("torture.exactness", "--seconds", "240", "--seed", "{seed}"), 8),
    Job("lowest", ("make", "lowest"), 9),
    Job("newest", ("make", "newest"), 9),
    Job("kills", ("torture.kills", "--kills", "100", "--seed", "{seed}"), 6),
    Job("fuzz", ("torture.fuzz", "--inputs", "1000", "--seed", "{seed}"), 5),
    Job("border", ("torture.border", "--calls", "100000"), 5),
    Job("extremes", ("torture.extremes",), 5),
    Job("workers", ("torture.workers",), 5),
    Job("faults", ("torture.faults", "--seed", "{seed}"), 4),
    Job("pages", ("torture.pages", "--pages", "100"), 3),
)
"""In the order in which they begin: all tests beside everything else, the longest first. The
minutes are limits, and leave the night about an hour even if every job needs all of its own."""


def main() -> int:
    """Run all jobs; return 1 if one failed or took too long."""
    return run_jobs(JOBS, OUT, seed=datetime.date.today().toordinal())


def run_jobs(jobs: tuple[Job, ...], out: Path, seed: int) -> int:
    """Run all jobs, whether others failed or not, and write a page about them."""
    out.mkdir(parents=True, exist_ok=True)
    lines = [f"# Seed {seed}", "", "| job | result | minutes |", "|---|---|---:|"]
    running: set[subprocess.Popen[bytes]] = set()

    def run(job: Job) -> str:
        start = time.monotonic()
        with (
            (out / f"{job.name}.txt").open("w", encoding="utf-8") as file,
            subprocess.Popen(
                job.arguments(seed), cwd=ROOT, stdout=file, stderr=file, start_new_session=True
            ) as process,
        ):
            running.add(process)
            try:
                code = process.wait(60 * job.minutes)
                result = f"failed ({code})" if code else "passed"
            except subprocess.TimeoutExpired:
                _stop(process)
                result = f"took more than {job.minutes:g} minutes"
            running.remove(process)
        lines.append(f"| {job.name} | {result} | {(time.monotonic() - start) / 60:.1f} |")
        print(lines[-1], flush=True)
        (out / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return result

    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            results = list(pool.map(run, jobs))
        except KeyboardInterrupt:
            for process in running.copy():
                _stop(process)
            raise
    return int(any(result != "passed" for result in results))


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and those that it started, which would go on without it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
