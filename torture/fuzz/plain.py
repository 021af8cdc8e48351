"""The cheap way: seeds broken at random, in a forked process that may die of it."""

from __future__ import annotations

import os
import random
import signal
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


def feed_plainly(reader: Reader, tally: Tally, n_inputs: int, seed: int) -> Tally:
    """Feed a reader until it had as many inputs; a process that dies is followed by another."""
    with tempfile.TemporaryDirectory(prefix="blocklda-fuzz-", dir=IN_MEMORY) as folder:
        prepared = reader.prepare(Path(folder))
        prepared.read_seeds()
        while tally.plain < n_inputs:
            tally.save()
            process = os.fork()
            if process == 0:
                _in_child(reader, prepared, tally, n_inputs, seed)
            _, status = os.waitpid(process, 0)
            tally = Tally.load(tally.folder, tally.reader)
            if os.WIFSIGNALED(status):
                name = signal.Signals(os.WTERMSIG(status)).name
                tally.died += 1
                tally.plain += 1
                tally.add_failure(name, f"ended by {name}", prepared.path.read_bytes())
            elif os.WEXITSTATUS(status):
                raise RuntimeError(f"the fuzzer of {tally.reader!r} failed; see above")
    return tally


def _in_child(reader: Reader, prepared: Prepared, tally: Tally, n_inputs: int, seed: int) -> None:
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
            read_before = tally.read
            feeder.feed(data)
            tally.plain += 1
            if tally.read > read_before and len(data) < 20_000:
                _remember(recent, data, rng, len(prepared.seeds))
            if tally.plain % _BETWEEN_NOTES == 0:
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
