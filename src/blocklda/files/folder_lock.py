"""One process at a time in a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blocklda.files.atomic_write import cannot_write
from blocklda.support.errors import InputError

if sys.platform != "win32":
    import fcntl

__all__ = ["LOCK_NAME", "locked_folder"]

LOCK_NAME = "lock"


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Make a folder if it is not there, and keep other processes out of it meanwhile.

    The lock goes with the process, however it ends; the file that carries it stays and means
    nothing. Where the system has no such locks (Windows, some network drives) there is none.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise cannot_write(folder, error) from error
    try:
        _lock(handle, folder)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            f"{folder} is in use by another run: wait until it has ended, or give another folder."
        ) from error
    except OSError:
        return  # a file system without locks
