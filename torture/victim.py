"""A fit in a process of its own that can be told when and how to suffer.

The steps of writing files (a write, a sync, a rename, a removal) are counted, and the process can
kill itself at one of them, in the middle of what it writes. `python -m torture.victim NAME CORPUS
CHECKPOINT MODEL` does the same fit in a fresh process, untouched.
"""

from __future__ import annotations

import ctypes
import io
import os
import resource
import signal
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# Imported here, so that processes forked from one which has them begin at once; the diagnostics of
# the command line want arviz_stats, which takes a second.
import arviz_stats  # noqa: F401

import blocklda
import blocklda.cli
import blocklda.cli.commands.fit
import blocklda.estimator.lda
import blocklda.parallel.fit
from blocklda.run.run import Run
from torture.fits import fit
from torture.power import VARIABLE

shards_module = sys.modules["blocklda.parallel.fit"]  # whose name is that of its function


@dataclass(frozen=True)
class Suffering:
    """What shall happen to a victim."""

    die_at_step: int = 0
    pause_at: int = 0
    """The generation of the checkpoint after which it waits for its parent."""
    max_file_bytes: int = 0
    """What the system lets it write into one file."""
    as_nobody: bool = False
    """Whether it has to heed the permissions of files, which root otherwise need not."""
    durable: str = ""
    """Where the shim of `power` notes what was synced."""


class Steps:
    """Counts the steps of writing; at the chosen one the process dies, before it or after."""

    def __init__(self, die_at: int) -> None:
        self.done = 0
        self._die_at = die_at

    def take(self, step: Any, *arguments: Any, **settings: Any) -> Any:
        self.done += 1
        is_last = self.done == self._die_at
        if is_last and self.done % 2:
            die()
        result = step(*arguments, **settings)
        if is_last:
            die()
        return result

    def dies_next(self) -> bool:
        return self.done + 1 == self._die_at


class TornFile(io.FileIO):
    """A file whose last write, if the process dies in it, is written by half."""

    steps: Steps

    def write(self, data: Any) -> int:
        if self.steps.dies_next():
            data = memoryview(data).cast("B")
            super().write(data[: len(data) // 2])
            die()
        return int(self.steps.take(super().write, data))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def suffer(task: list[str], suffering: Suffering, parent: Connection, log: str) -> None:
    """Be the victim: fit, tell the parent how far it is, and end as a program would."""
    for number, name in ((1, "out"), (2, "err")):
        handle = os.open(f"{log}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, number)
    # A process that was started in the background ignores Ctrl-C, and would pass that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if suffering.max_file_bytes:
        limits = (suffering.max_file_bytes, resource.RLIM_INFINITY)
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    if suffering.as_nobody:
        give_up_capabilities()
    if suffering.durable:
        os.environ[VARIABLE] = suffering.durable
    steps = watch(suffering, parent)
    try:
        if task[0] == "library":
            name, *places = task[1:]
            fit(name, *map(Path, places))
        else:
            sys.argv = ["blocklda", *task]
            blocklda.cli.main()
    finally:
        parent.send(f"end {steps.done}")


def watch(suffering: Suffering, parent: Connection) -> Steps:
    """Put the counter under everything that changes files, and tell when sweeping begins."""
    steps = Steps(suffering.die_at_step)
    TornFile.steps = steps
    for name in ("fsync", "unlink"):
        setattr(os, name, _counted(steps, getattr(os, name)))
    rename, advance = os.replace, Run.advance

    def replace(source: Any, target: Any) -> None:
        steps.take(rename, source, target)
        if suffering.pause_at and Path(target).name == f"run-{suffering.pause_at:06d}.npz":
            parent.send("paused")
            parent.recv()

    def begin(*arguments: Any, **settings: Any) -> bool:
        parent.send(f"began {steps.done}")
        parent.send("sweeping")
        is_whole = advance(*arguments, **settings)
        parent.send(f"fitted {steps.done}")
        return is_whole

    def begin_on_shards(*arguments: Any, **settings: Any) -> Any:
        parent.send(f"began {steps.done}")
        parent.send("sweeping")
        ending = advance_shards(*arguments, **settings)
        parent.send(f"fitted {steps.done}")
        return ending

    advance_shards = shards_module._advance
    shards_module._advance = begin_on_shards
    os.replace = replace
    os.fdopen = lambda handle, _: io.BufferedWriter(TornFile(handle, "wb"))
    Run.advance = begin
    return steps


def _counted(steps: Steps, step: Any) -> Any:
    return lambda *arguments, **settings: steps.take(step, *arguments, **settings)


def give_up_capabilities() -> None:
    """Give up what lets root write where it may not: the same as for anybody else from then on."""
    if os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3 of the interface, this process
        nothing = (ctypes.c_uint32 * 6)()
        if ctypes.CDLL(None, use_errno=True).capset(header, nothing) != 0:
            raise OSError(ctypes.get_errno(), "cannot give up the capabilities of root")


if __name__ == "__main__":
    fit(sys.argv[1], *map(Path, sys.argv[2:]))
