"""The long jobs of a night, two at a time: ``make nightly``.

Each has a limit of time. Its output is in build/nightly, with a page that names the jobs that
failed. The seed is the day's, so every night tries other files, moments and problems.
"""

from __future__ import annotations

import datetime
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
    Job("coverage", ("make", "coverage"), 50),
    Job("sanitize", ("make", "sanitize"), 30),
    Job("exactness", ("torture.exactness", "--seconds", "480", "--seed", "{seed}"), 20),
    Job("tests", ("tools.test_report",), 25),
    Job("fuzz", ("torture.fuzz", "--inputs", "2000", "--seed", "{seed}"), 25),
    Job("kills", ("torture.kills", "--kills", "100", "--seed", "{seed}"), 20),
    Job("border", ("torture.border", "--calls", "100000"), 15),
    Job("extremes", ("torture.extremes",), 15),
    Job("faults", ("torture.faults", "--seed", "{seed}"), 10),
    Job("pages", ("torture.pages", "--pages", "200"), 10),
    Job("lowest", ("make", "lowest"), 15),
    Job("newest", ("make", "newest"), 15),
)
"""In the order in which they begin: the longest first, so that both cores end together. The
minutes are limits."""


def main() -> int:
    """Run all jobs; return 1 if one failed or took too long."""
    return run_jobs(JOBS, OUT, seed=datetime.date.today().toordinal())


def run_jobs(jobs: tuple[Job, ...], out: Path, seed: int) -> int:
    """Run all jobs, whether others failed or not, and write a page about them."""
    out.mkdir(parents=True, exist_ok=True)
    lines = [f"# Seed {seed}", "", "| job | result | minutes |", "|---|---|---:|"]

    def run(job: Job) -> str:
        start = time.monotonic()
        with (out / f"{job.name}.txt").open("w", encoding="utf-8") as file:
            result = _run(job.arguments(seed), job.minutes, file)
        lines.append(f"| {job.name} | {result} | {(time.monotonic() - start) / 60:.1f} |")
        print(lines[-1], flush=True)
        (out / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return result

    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(run, jobs))
    return int(any(result != "passed" for result in results))


def _run(command: list[str], minutes: float, file: object) -> str:
    try:
        done = subprocess.run(
            command, cwd=ROOT, check=False, stdout=file, stderr=file, timeout=60 * minutes
        )
    except subprocess.TimeoutExpired:
        return f"took more than {minutes:g} minutes"
    return "passed" if done.returncode == 0 else f"failed ({done.returncode})"


if __name__ == "__main__":
    sys.exit(main())
