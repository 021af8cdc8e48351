"""The lines on top of a file that begin with a sign, apart from what follows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from blocklda.support.memory import require_memory

__all__ = ["lines_on_top"]


# The shortest line, "#", has two bytes in the file and takes about 45 in memory.
_MEMORY_PER_FILE_BYTE = 24


def lines_on_top(path: Path, chunks: Iterator[bytes], sign: bytes) -> tuple[list[bytes], bytes]:
    """Return the first lines that begin with a sign, and what was read along after them.

    The chunks, which are whole lines, go on after that.
    """
    lines: list[bytes] = []
    for chunk in chunks:
        require_memory(
            _MEMORY_PER_FILE_BYTE * len(chunk),
            f"reading on in {path} after {len(lines)} lines that begin with {sign.decode()}",
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
