"""Full disks, folders that cannot be written or are removed, files that are damaged.

The run says what is wrong, goes on or stops, and the last good checkpoint is used: nothing is lost
but time, and no result is wrong.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import blocklda
from torture.cases import Case
from torture.damage import damaged_checkpoints, damaged_models, loads_while_saving
from torture.fits import contents, differences, write_corpus
from torture.processes import Ending, disturbed
from torture.results import OUT, Row, run_alone
from torture.victim import Suffering

FIT = "sparse"
"""Two chains, sampled priors, draws: everything that a checkpoint can hold."""


@dataclass(frozen=True)
class Bench:
    """A fit, what it must come to, and how long it takes when nobody disturbs it."""

    case: Case
    whole: dict[str, str]
    calm: Ending

    def at(self, name: str) -> Case:
        """Return the case in a new folder."""
        case = self.case.elsewhere(name)
        shutil.rmtree(case.folder, ignore_errors=True)
        return case

    def expect_whole(self, row: Row, case: Case, ending: Ending, *, said: str | None) -> None:
        """Expect an end as if nothing had been, after nothing or the same line again and again."""
        row.expect(ending.code == 0, f"it ended with {ending.code}: {ending.stderr}")
        if ending.code == 0:
            apart = differences(self.whole, contents(case.model))
            row.expect(not apart, f"wrong results: {apart}")
            row.count("ended as if nothing had been", 0 if apart else 1)
        lines = ending.stderr.splitlines()
        if said is None:
            row.expect(not lines, f"it said {lines}")
        else:
            row.count("warnings", len(lines))
            row.expect(bool(lines), "it said nothing")
            for line in lines:
                is_good = line.startswith("blocklda: warning: ") and said in line
                row.expect(is_good, f"it said {line!r}")

    def expect_refusal(self, row: Row, ending: Ending, said: str) -> None:
        """Expect one line and exit code 2 (warnings may come before it)."""
        lines = ending.stderr.splitlines()
        is_one_line = ending.code == 2 and bool(lines) and said in lines[-1]
        row.expect(is_one_line, f"it ended with {ending.code}: {ending.stderr}")
        row.expect(all(line.startswith("blocklda: ") for line in lines), f"it said {lines}")
        row.count("refused in a sentence")


def main(quick: bool, seed: int = 0, out: Path = OUT) -> list[Row]:
    work = out.resolve() / "faults"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    rng = random.Random(seed)
    case = Case(FIT, "command line", write_corpus(work / "corpus.npz"), work / "never")
    whole = case.never_disturbed()
    calm = case.elsewhere("calm").start().ended()
    bench = Bench(case, whole, calm)
    rows = [trouble(bench) for trouble in (QUICK_TROUBLES if quick else TROUBLES)]
    rows += damaged_checkpoints(case, quick, rng)
    rows.append(damaged_models(case.model, quick, rng))
    rows.append(loads_while_saving(case.model, work / "replaced", quick))
    signals = (signal.SIGTERM,) if quick else (signal.SIGINT, signal.SIGTERM)
    rows += [stopped(bench, number) for number in signals]
    if not any(row.failures for row in rows):
        shutil.rmtree(work)  # else it stays to be looked at
    return rows


def full_disk(bench: Bench) -> Row:
    """A file system of so few bytes that the checkpoints after burn-in do not fit."""
    row = Row("faults", "disk full under way (a small tmpfs)")
    case = bench.at("full")
    first = size_of_generation(bench, 1)
    with small_disk(case.checkpoint, 2 * first + 8192) as resize:
        if resize is None:
            row.count("not done: only root may mount", 1)
            return row
        ending = case.start().ended()
        bench.expect_whole(row, case, ending, said="No space left on device")
        resize(100 * first)
        shutil.rmtree(case.model)
        bench.expect_whole(row, case, case.start().ended(), said=None)
    return row


@contextmanager
def small_disk(folder: Path, n_bytes: int) -> Iterator[Callable[[int], int] | None]:
    """Mount a file system of this size; give a function that makes it larger, None if refused."""
    folder.mkdir(parents=True)

    def mount(options: str) -> int:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        return subprocess.run(command, capture_output=True, check=False).returncode

    if os.geteuid() != 0 or mount(f"size={n_bytes}") != 0:
        yield None
        return
    try:
        yield lambda size: mount(f"remount,size={size}")
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def size_of_generation(bench: Bench, number: int) -> int:
    """Return the bytes of a run's file at the given number, from a run that pauses there."""
    case, sizes = bench.at("measured"), []

    def measure() -> None:
        sizes.append((case.checkpoint / f"run-{number:06d}.npz").stat().st_size)

    disturbed(case.start(Suffering(pause_at=number)), measure)
    return sizes[0]


def file_size_limit(bench: Bench) -> Row:
    """The other full disk, which needs no root: writes fail in the middle of a file."""
    row = Row("faults", "disk full under way (a limit on files)")
    case = bench.at("limited")
    limit = size_of_generation(bench, 1) + 64
    ending = case.start(Suffering(max_file_bytes=limit)).ended()
    # The files of a model are packed, and smaller than a checkpoint: it is saved all the same.
    bench.expect_whole(row, case, ending, said="File too large")
    row.expect(not any(case.model.glob("*.part")), "parts of files are left")
    bench.expect_whole(row, case, case.start().ended(), said=None)
    return row


def read_only(bench: Bench) -> Row:
    row = Row("faults", "a folder that may not be written")
    for which in ("checkpoint", "model"):
        case = bench.at("closed")
        folder = case.checkpoint if which == "checkpoint" else case.model
        folder.mkdir(parents=True)
        folder.chmod(0o555)
        ending = case.start(Suffering(as_nobody=True)).ended()
        folder.chmod(0o755)
        bench.expect_refusal(row, ending, "Permission denied")
        row.expect("sweeping" not in ending.told, "it began to sweep")
    return row


def closed_under_way(bench: Bench) -> Row:
    """No more writing, or not even looking; both come in the middle of writing a generation."""
    row = Row("faults", "a checkpoint's folder closed under way")
    for mode in (0o555, 0o000):
        case = bench.at("closing")
        victim = case.start(Suffering(pause_at=3, as_nobody=True))
        ending = disturbed(victim, lambda: case.checkpoint.chmod(mode))  # noqa: B023
        case.checkpoint.chmod(0o755)
        bench.expect_whole(row, case, ending, said="Permission denied")
        row.expect(case.numbers("run")[-1] == 3, "the last good checkpoint is not there")
        shutil.rmtree(case.model)
        bench.expect_whole(row, case, case.start().ended(), said=None)
    return row


def folder_removed(bench: Bench) -> Row:
    row = Row("faults", "a checkpoint's folder removed under way")
    case = bench.at("removed")
    victim = case.start(Suffering(pause_at=10))
    ending = disturbed(victim, lambda: shutil.rmtree(case.checkpoint))
    bench.expect_whole(row, case, ending, said="No such file or directory")
    shutil.rmtree(case.model)
    bench.expect_whole(row, case, case.start().ended(), said=None)
    return row


def emptied(bench: Bench) -> Row:
    """The files go and the folder stays: what is written later must be whole without them."""
    row = Row("faults", "a checkpoint's files removed under way, then a kill")
    case = bench.at("emptied")

    def remove() -> None:
        for path in case.checkpoint.glob("*.npz"):
            path.unlink()

    step = bench.calm.n_steps("fitted") * 4 // 5
    ending = disturbed(case.start(Suffering(pause_at=10, die_at_step=step)), remove)
    row.expect(ending.was_killed, f"it ended with {ending.code}")
    row.expect("are written again" in ending.stderr, f"it said {ending.stderr!r}")
    row.expect(len(case.numbers("run")) == 2, "there are no two generations")
    bench.expect_whole(row, case, case.start().ended(), said=None)
    return row


def stopped(bench: Bench, number: signal.Signals) -> Row:
    """The sweep is finished, the draws are a model, and the same command goes on."""
    row = Row("faults", f"{number.name} under way")
    case = bench.at("stopped")
    victim = case.start(Suffering(pause_at=12))
    ending = disturbed(victim, lambda: victim.signal(number))
    row.expect(ending.code == 128 + number, f"it ended with {ending.code}: {ending.stderr}")
    lines = ending.stderr.splitlines()
    is_one = len(lines) == 1 and lines[0].startswith("blocklda: interrupted after ")
    row.expect(is_one, f"it said {lines}")
    if (case.model / "model.json").exists():
        row.count("kept draws", len(blocklda.LDA.load(case.model).draws_))
    bench.expect_whole(row, case, case.start().ended(), said=None)
    return row


TROUBLES = (full_disk, file_size_limit, read_only, closed_under_way, folder_removed, emptied)
QUICK_TROUBLES = (file_size_limit, read_only, closed_under_way, emptied)

if __name__ == "__main__":
    run_alone("faults", __doc__, main)
