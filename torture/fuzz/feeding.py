"""One input after the other: what comes out is a refusal, something sane, or a failure."""

from __future__ import annotations

import gc
import os
import resource
import signal
import time
import traceback
import warnings
from pathlib import Path

import blocklda
from blocklda.support import memory
from blocklda.support.errors import BlockldaError
from torture.fuzz.readers import Prepared
from torture.fuzz.tally import Tally

__all__ = ["AVAILABLE", "Feeder", "limit_this_process"]

AVAILABLE = 2**28
"""What readers are told they may use: the same on every machine, and soon exceeded."""
_HEADROOM = 2**30
"""What they can allocate indeed: an estimate that is wrong by a factor of four is a failure."""
_SECONDS, _LIBRARY_SECONDS = 5.0, 0.25
"""Processor time for one input. Where a C library hangs now and then, most of a run is spent
waiting. What it reads at all takes it less than 0.1 s (800 broken .h5ad files), so a quarter of
a second is enough to tell."""

_OWN = str(Path(blocklda.__file__).parent)


def limit_this_process() -> None:
    """Bound memory, and let NumPy's warnings be errors: they tell of numbers gone wrong."""
    memory.available_under = lambda _root: AVAILABLE  # type: ignore[assignment]
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + _HEADROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)
    gc.freeze()  # or every collection would look at all that was imported


class Feeder:
    """Feeds one reader and keeps its tally."""

    def __init__(self, prepared: Prepared, tally: Tally, library: str = "") -> None:
        self._prepared = prepared
        self._tally = tally
        self._seconds = _LIBRARY_SECONDS if library else _SECONDS
        self._began = time.process_time()
        self._before = tally.seconds

    def feed(self, data: bytes) -> None:
        """Read one input; if the process does not survive it, it is still in its file."""
        with open(self._prepared.path, "wb", buffering=0) as file:
            file.write(data)
        # The default action ends the process: no handler of Python's runs while C code loops.
        signal.setitimer(signal.ITIMER_VIRTUAL, self._seconds)
        try:
            self._prepared.read()
            self._tally.read += 1
        except BlockldaError:
            self._tally.refused += 1
        except Exception as error:  # whatever it is, it is a finding
            self._tally.add_failure(_key(error), f"{type(error).__name__}: {error}", data)

    def note(self) -> None:
        """Write the tally down."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self._tally.seconds = self._before + time.process_time() - self._began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        self._tally.peak_mib = max(self._tally.peak_mib, peak)
        self._tally.save()


def _key(error: BaseException) -> str:
    """Return what tells failures apart: the kind, and the line of blocklda it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(_OWN)] or [frames[-1]]
    place = os.path.relpath(own[-1].filename, _OWN)
    return f"{type(error).__name__} at {place}:{own[-1].lineno}"
