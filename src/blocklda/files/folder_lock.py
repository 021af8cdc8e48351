"""One process at a time in a folder."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from blocklda.files.atomic_write import cannot_write
from blocklda.support.errors import InputError

__all__ = ["LOCK_NAME", "locked_folder"]

LOCK_NAME = "lock"

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP)
"""What file systems without locks say, some network drives among them."""


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Make a folder if it is not there, and keep other processes out of it meanwhile.

    The lock goes with the process, however it ends. On a file system that has no locks there is
    none.
    """
    lock = FileLock(folder / LOCK_NAME, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise InputError(
            f"{folder} is in use by another run: wait until it has ended, or give another folder."
        ) from error
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise cannot_write(folder, error) from error
    try:
        yield
    finally:
        lock.release()
