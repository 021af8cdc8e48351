"""Folders of checkpoints on the command line: told from others, and how far their run is."""

from __future__ import annotations

import os
from pathlib import Path

from blocklda.files.checkpoint import KINDS, SHARDED_RUN
from blocklda.files.generations import Generations
from blocklda.files.run_file import read_run_header
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["holds_a_run", "holds_a_run_on_shards", "sweeps_done"]


def holds_a_run(folder: Path) -> bool:
    """Whether a folder holds a run that a fit with --checkpoint keeps."""
    return bool(_runs(folder)) or holds_a_run_on_shards(folder)


def holds_a_run_on_shards(folder: Path) -> bool:
    """Whether that is one of a fit with --scheduler or --workers."""
    # A name that no file can have is none; whoever opens it complains.
    return os.path.exists(folder / SHARDED_RUN)


def sweeps_done(folder: Path | None) -> int | None:
    """Return the sweeps of the run in a folder, None if there is none or nothing was done yet.

    As when a fit goes on, the latest file counts that can be read.
    """
    if folder is None:
        return None
    if holds_a_run_on_shards(folder):
        return _sharded_sweeps_done(folder)
    for number in _runs(folder):
        try:
            chains = read_run_header(folder / Generations.name("run", number))["chains"]
            return min(int(chain["n_sweeps"]) for chain in chains) or None
        except (FileFormatError, KeyError, TypeError, ValueError):
            continue  # the fit itself says what is wrong with it
    return None


def _sharded_sweeps_done(folder: Path) -> int | None:
    return max(Generations(folder, ("sweep",)).numbers("sweep"), default=0) or None


def _runs(folder: Path) -> list[int]:
    """Return the numbers of the runs in a folder, the latest first."""
    try:
        return Generations(folder, KINDS).numbers("run")
    except (InputError, ValueError):  # no folder, or a name that none can have
        return []
