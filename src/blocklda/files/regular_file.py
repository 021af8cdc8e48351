"""Files opened only if they are files: a pipe would block for ever, a device has no end.

Links are followed, since stores of data keep large files behind them; what they lead to is checked.
"""

from __future__ import annotations

import errno
import io
import os
import stat

__all__ = ["open_regular"]

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe waits for whoever writes to it unless told not to; files do not mind."""


def open_regular(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file for reading; OSError if it is something else."""
    return open(path, "rb", opener=_opened)


def _opened(path: str, flags: int) -> int:
    handle = os.open(path, flags | _AT_ONCE)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no regular file", path)
    return handle
