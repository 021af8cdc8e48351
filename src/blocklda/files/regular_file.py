"""Files opened only if they are files: a pipe would block for ever, a device has no end.

Links are followed, since stores of data keep large files behind them; what they lead to is checked.
"""

from __future__ import annotations

import errno
import io
import os
import stat

__all__ = ["NotRegularError", "open_regular"]

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe waits for whoever writes to it unless told not to; files do not mind."""


class NotRegularError(OSError):
    """What is there is not a regular file."""


def open_regular(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file for reading; NotRegularError if it is something else."""
    return open(path, "rb", opener=_opened)


def _opened(path: str, flags: int) -> int:
    handle = os.open(path, flags | _AT_ONCE)
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        raise NotRegularError(errno.EINVAL, "it is not a regular file", path)
    return handle
