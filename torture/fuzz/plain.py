"""The cheap way: seeds broken at random, in a forked process that may die of it."""

from __future__ import annotations

import mmap
import os
import random
import signal
import struct
import sys
import tempfile
import traceback
from pathlib import Path

from torture.fuzz.feeding import Feeder, limit_this_process
from torture.fuzz.readers import Prepared, Reader
from torture.fuzz.tally import Tally

__all__ = ["IN_MEMORY", "feed_plainly"]

IN_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108
"""Where inputs are put: reading is to be tested, not the disk."""

_BETWEEN_NOTES = 500
_COUNTS = struct.Struct("qqq")
"""Inputs fed, read and refused, in memory that a process shares with its parent: where every
hundredth input ends the process, it would never come to its next note."""


def feed_plainly(reader: Reader, tally: Tally, n_inputs: int, seed: int) -> Tally:
    """Feed a reader until it had as many inputs; a process that dies is followed by another."""
    counts = mmap.mmap(-1, _COUNTS.size)
    with tempfile.TemporaryDirectory(prefix="blocklda-fuzz-", dir=IN_MEMORY) as folder:
        prepared = reader.prepare(Path(folder))
        prepared.read_seeds()
        while tally.plain < n_inputs:
            tally.save()
            _COUNTS.pack_into(counts, 0, tally.plain, tally.read, tally.refused)
            process = os.fork()
            if process == 0:
                _in_child(reader, prepared, tally, n_inputs, seed, counts)
            _, status, usage = os.wait4(process, 0)
            before, tally = tally, Tally.load(tally.folder, tally.reader)
            if os.WIFSIGNALED(status):
                name = signal.Signals(os.WTERMSIG(status)).name
                tally.plain, tally.read, tally.refused = _COUNTS.unpack_from(counts)
                tally.seconds = before.seconds + usage.ru_utime + usage.ru_stime
                tally.died += 1
                tally.plain += 1
                tally.add_failure(name, f"ended by {name}", prepared.path.read_bytes())
            elif os.WEXITSTATUS(status):
                raise RuntimeError(f"the fuzzer of {tally.reader!r} failed; see above")
    return tally


def _in_child(
    reader: Reader, prepared: Prepared, tally: Tally, n_inputs: int, seed: int, counts: mmap.mmap
) -> None:
    """Feed what is missing, and leave without what the parent wants done at its own end."""
    status = 1
    try:
        limit_this_process()
        # Another process goes on with other inputs than those that ended the one before.
        rng = random.Random(f"{seed} {tally.reader} {tally.plain} {tally.died}")
        feeder = Feeder(prepared, tally, reader.library)
        recent = list(prepared.seeds)
        while tally.plain < n_inputs:
            data = reader.mutate(rng.choice(recent), rng, recent)
            read_before, n_failures = tally.read, len(tally.failures)
            feeder.feed(data)
            tally.plain += 1
            _COUNTS.pack_into(counts, 0, tally.plain, tally.read, tally.refused)
            if tally.read > read_before and len(data) < 20_000:
                _remember(recent, data, rng, len(prepared.seeds))
            if tally.plain % _BETWEEN_NOTES == 0 or len(tally.failures) > n_failures:
                feeder.note()
        feeder.note()
        status = 0
    except BaseException:  # a fork must not run on in its parent's place
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _remember(recent: list[bytes], data: bytes, rng: random.Random, n_seeds: int) -> None:
    """Let what was read be broken further; the seeds stay."""
    if len(recent) < n_seeds + 30:
        recent.append(data)
    else:
        recent[rng.randrange(n_seeds, len(recent))] = data
