"""Text files read in pieces of whole lines, plain or gzip."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NamedTuple

from blocklda.files.regular_file import NotRegularError, open_regular
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.memory import require_memory

__all__ = [
    "CHUNK_BYTES",
    "GZIP_MAGIC",
    "decoded_lines",
    "first_line",
    "first_lines",
    "header_lines",
    "is_named",
    "open_file",
    "text_chunks",
    "unpacked",
    "unreadable",
]

# Large enough that the cost per chunk vanishes, small enough to hold several; also the longest
# line: a file without line ends must not fill the memory.
CHUNK_BYTES = 4 * 2**20

_GLANCE_BYTES = 4096

GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def text_chunks(path: Path) -> Generator[bytes]:
    """Yield a file's text, unpacked if it is gzip, in pieces of whole lines.

    Every piece ends with a line end, the last one too. Where the file cannot be read to its end,
    the whole lines before that are yielded first, then FileFormatError names the line.
    """
    with open_file(path) as file:
        stream = unpacked(path, file)
        n_lines, pending = 0, b""
        while True:
            filled = _fill(stream, pending)
            text, pending = _whole_lines(filled)
            if not text and not filled.at_end:
                raise FileFormatError(
                    f"{path}, line {n_lines + 1}: the line is longer than {CHUNK_BYTES} bytes, so "
                    "this is not a text of short lines; check that it is the right file."
                )
            if n_lines == 0:
                text = text.removeprefix(_BYTE_ORDER_MARK)
            n_lines += text.count(b"\n")
            if text:
                yield text
            if filled.failure is not None:
                raise unreadable(path, n_lines + 1, filled.failure) from filled.failure
            if filled.at_end:
                return


def first_line(path: Path) -> bytes:
    """Return how a file begins, up to the first line end; empty if that cannot be read."""
    return next(iter(first_lines(path, 1)), b"")


def first_lines(path: Path, n: int) -> list[bytes]:
    """Return up to ``n`` lines from the beginning of a file; none if that cannot be read.

    For guessing the format of a file; its reader reports what is wrong with it.
    """
    try:
        with open_file(path) as file:
            start = unpacked(path, file).read1(_GLANCE_BYTES)
    except (InputError, EOFError, OSError, zlib.error):
        return []
    return start.removeprefix(_BYTE_ORDER_MARK).split(b"\n")[:n]


class _Filled(NamedTuple):
    """What a stream gave, whether it ended there, and what broke it, if anything did."""

    data: bytes
    at_end: bool
    failure: Exception | None = None


def _fill(stream: io.BufferedIOBase, pending: bytes) -> _Filled:
    """Read on after `pending` until a chunk is full or the stream ends."""
    parts, size = [pending], len(pending)
    while size < CHUNK_BYTES:
        try:
            # One step of the stream at a time: if the next one fails, this one is not lost.
            part = stream.read1(CHUNK_BYTES - size)
        except (EOFError, OSError, zlib.error) as error:
            return _Filled(b"".join(parts), True, error)
        if not part:
            return _Filled(b"".join(parts), True)
        parts.append(part)
        size += len(part)
    return _Filled(b"".join(parts), False)


def _whole_lines(filled: _Filled) -> tuple[bytes, bytes]:
    """Cut after the last line end; the end of an unbroken file ends a line too."""
    cut = filled.data.rfind(b"\n") + 1
    text, pending = filled.data[:cut], filled.data[cut:]
    if pending and filled.at_end and filled.failure is None:
        return filled.data + b"\n", b""
    return text, pending


def open_file(path: Path) -> io.BufferedReader:
    """Open a file, or say in one sentence why that is not possible.

    A pipe may never end, or never begin; standard input is read in another place.
    """
    try:
        return open_regular(path)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; check the name and the folder.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder; name a file in it.") from error
    except NotRegularError as error:
        raise InputError(
            f"{path} is a pipe or a device, not a file: write it to a file, or pipe it into the "
            "command and use - as the input."
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{str(path)!r} cannot be opened ({reason}); check the name and the permissions."
        ) from error


def unpacked(path: Path, file: io.BufferedReader) -> io.BufferedIOBase:
    """Return the stream of text in a file, by its first bytes and not by its name."""
    start = _peek(path, file)
    if start.startswith(GZIP_MAGIC):
        return gzip.GzipFile(fileobj=file, mode="rb")
    if path.suffix == ".gz":
        raise FileFormatError(
            f"{path}, line 1: the name ends in .gz, but the file is not gzip data; download it "
            "again or rename it."
        )
    return file


def _peek(path: Path, file: io.BufferedReader) -> bytes:
    try:
        return file.peek(len(GZIP_MAGIC))
    except OSError as error:
        raise unreadable(path, 1, error) from error


def unreadable(path: Path, line: int, failure: Exception) -> FileFormatError:
    """Make the error for a file that could not be read beyond a line."""
    if isinstance(failure, EOFError):
        reason = "the gzip data end too early"
    elif isinstance(failure, gzip.BadGzipFile | zlib.error):
        reason = f"the gzip data are damaged ({failure})"
    else:
        reason = f"the file cannot be read further ({failure})"
    return FileFormatError(f"{path}, line {line}: {reason}; download the file again.")


def decoded_lines(path: Path, chunk: bytes, n_before: int, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a chunk; only line feeds end a line, whatever else Unicode knows."""
    try:
        text = chunk.decode(encoding)
    except UnicodeDecodeError as error:
        line = n_before + 1 + chunk.count(b"\n", 0, error.start)
        raise FileFormatError(
            f"{path}, line {line}: the byte 0x{chunk[error.start]:02x} is not {encoding.upper()} "
            "text; save the file as UTF-8."
        ) from error
    return text.split("\n")[:-1]


def is_named(name: str, *suffixes: str) -> bool:
    """Return True if a name ends in a suffix, regardless of case, with or without .gz after it."""
    return name.lower().removesuffix(".gz").endswith(suffixes)


# The shortest line, "#", has two bytes in the file and takes about 45 in memory.
_MEMORY_PER_FILE_BYTE = 24


def header_lines(path: Path, chunks: Iterator[bytes], sign: bytes) -> tuple[list[bytes], bytes]:
    """Return the first lines that begin with a sign, and what was read along after them.

    The chunks, which are whole lines, continue after that.
    """
    lines: list[bytes] = []
    for chunk in chunks:
        require_memory(
            _MEMORY_PER_FILE_BYTE * len(chunk),
            f"continuing to read {path} after {len(lines)} lines that begin with {sign.decode()}",
            "check that it is the right file",
        )
        start = 0
        while chunk.startswith(sign, start):
            end = chunk.index(b"\n", start)
            lines.append(chunk[start:end].rstrip())
            start = end + 1
        if start < len(chunk):
            return lines, chunk[start:]
    return lines, b""
