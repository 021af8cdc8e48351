"""Folders of checkpoints on the command line: told from others, and how far their run is."""

from __future__ import annotations

import os
import re
from pathlib import Path

from blocklda.files.checkpoint import NAME, SHARDED_RUN
from blocklda.files.run_file import read_run_header
from blocklda.support.errors import FileFormatError

__all__ = ["holds_a_run", "holds_a_run_on_shards", "sweeps_done"]


_SWEEP = re.compile(r"sweep-(\d{6,12})\.npz")


def holds_a_run(folder: Path) -> bool:
    """Whether a folder holds a run that a fit with --checkpoint keeps."""
    return bool(_run_files(folder)) or holds_a_run_on_shards(folder)


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
    for path in reversed(_run_files(folder)):
        try:
            chains = read_run_header(path)["chains"]
            return min(int(chain["n_sweeps"]) for chain in chains) or None
        except (FileFormatError, KeyError, TypeError, ValueError):
            continue  # the fit itself says what is wrong with it
    return None


def _sharded_sweeps_done(folder: Path) -> int | None:
    names = (_SWEEP.fullmatch(path.name) for path in folder.iterdir())
    return max((int(name[1]) for name in names if name), default=0) or None


def _run_files(folder: Path) -> list[Path]:
    """Return the files of runs, the oldest first."""
    try:
        found = [path for path in folder.iterdir() if NAME.fullmatch(path.name)]
    except (OSError, ValueError):  # no folder, or a name that none can have
        return []
    runs = [path for path in found if path.name.startswith("run-")]
    return sorted(runs, key=lambda path: int(path.stem.split("-")[1]))
