"""Files that are either the old one or the new one, whole, whatever happens while writing."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from blocklda.support.errors import InputError

__all__ = [
    "cannot_write",
    "finished_name",
    "named_path",
    "replace_file",
    "require_place",
    "sync_folder",
]

PART_SUFFIX = ".part"
"""How the names of files end that are still being written, or that a killed process left."""

_UNFINISHED = re.compile(rf"(.+)\.[^.]+{re.escape(PART_SUFFIX)}", re.DOTALL)


def finished_name(name: str) -> str:
    """Return the name that a file was to get if it was still being written, else its own."""
    match = _UNFINISHED.fullmatch(name)
    return match[1] if match else name


def named_path(path: Any) -> Path:
    """Return what a path names, links followed: a link to a file stays a link."""
    if path == "":
        raise InputError(
            "'' is not the name of a file or folder: give a path, or \".\" for this folder."
        )
    try:
        named = Path(path).resolve()
        named.exists()  # fails for a name that is too long or a folder that may not be entered
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise InputError(
            f"{path!r:.80} is not a valid file name ({error}): give a path."
        ) from error
    return named


def require_place(path: Path) -> None:
    """Refuse a path where no file can be written, before the work is done that it is to hold."""
    _refuse_what_is_no_file(path)
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}. Create it first.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise cannot_write(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def _refuse_what_is_no_file(path: Path) -> None:
    # Unlike the methods of a path, these take folders that are closed: writing says so better.
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"cannot write {path}: it is not a file. Give the name of a file.")


@contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write aside; at the end it is synced and renamed to ``path``.

    If anything fails the file of that name is as it was, and nothing is left beside it, unless the
    folder was closed meanwhile.
    """
    _refuse_what_is_no_file(path)
    try:
        handle, name = tempfile.mkstemp(prefix=path.name + ".", suffix=PART_SUFFIX, dir=path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    aside = Path(name)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(_mode(path))
        aside.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        with contextlib.suppress(OSError):  # the error that counts is the one before
            aside.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make renames survive a power cut, where folders can be synced (not on Windows).

    Where they cannot, the new file is in its place all the same, and that is all there is.
    """
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def cannot_write(path: Path, error: OSError) -> InputError:
    """Make the error for a file that could not be written."""
    reason = error.strerror or str(error)
    return InputError(
        f"cannot write {path}: {reason}. Choose a folder that exists and has free space; an "
        "existing file of that name is unchanged."
    )


def _mode(path: Path) -> int:
    """Return the permissions of the file to replace, or those a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
