"""Text files written aside and renamed at the end, gzip if their name says so."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from blocklda.files.atomic_write import replace_file
from blocklda.support.errors import InputError

__all__ = ["encoded", "text_output", "write_text"]

# Measured on NIPS, as docword and as state: 5 % more bytes than level 9 in a fifth of the time.
_GZIP_LEVEL = 4


@contextmanager
def text_output(path: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Give a file to write bytes to; if anything fails, the old file of that name stays."""
    with replace_file(path) as file:
        if path.suffix != ".gz":
            yield file
            return
        # No name and no time in it: the same corpus makes the same file.
        with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as packed:
            yield packed


def write_text(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file piece by piece."""
    with text_output(path) as file:
        for piece in pieces:
            file.write(piece)


def encoded(path: Path, text: str) -> bytes:
    """Return text as UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"cannot write {path}: {error.object[error.start : error.end]!r} is half a character, "
            "which is not valid UTF-8; correct the name that contains it."
        ) from error
