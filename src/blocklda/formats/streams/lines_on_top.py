"""The lines on top of a file that begin with a sign, apart from what follows them."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["lines_on_top"]


def lines_on_top(chunks: Iterator[bytes], sign: bytes) -> tuple[list[bytes], bytes]:
    """Return the first lines that begin with a sign, and what was read along after them.

    The chunks, which are whole lines, go on after that.
    """
    lines: list[bytes] = []
    for chunk in chunks:
        start = 0
        while chunk.startswith(sign, start):
            end = chunk.index(b"\n", start)
            lines.append(chunk[start:end].rstrip())
            start = end + 1
        if start < len(chunk):
            return lines, chunk[start:]
    return lines, b""
