"""Bytes changed at random: the part of a mutation that knows nothing of formats but numbers."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Sequence

__all__ = ["EXTREMES", "MAX_BYTES", "Mutator", "mutated"]

MAX_BYTES = 2**16
"""Longer inputs take longer and find no more."""

EXTREMES = (
    0, 1, -1, 2, 255, 256, 2**15, 2**16, 2**20, 2**31 - 2, 2**31 - 1, 2**31, -(2**31), 2**32,
    2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**19, 10**40, 10**400,
)  # fmt: skip
TEXTS = (
    b"nan", b"inf", b"-inf", b"1e308", b"1e309", b"-0", b"0.5", b"1e-320", b"", b" ", b"+1",
    b"0x10", b"1_000",
    b"\xd9\xa3", b"null", b"true", b"[]", b"{}", b'""', b"[" * 2000, b"\x00", b"\n",
    b"\r", b"\r\n",
    b"\t", b'"', b"\xff\xfe", b"\xef\xbb\xbf", b"#", b":", b"%", b"\x1f\x8b", b"\x80\x04",
    b"../../x", b"/etc/passwd", b"\xed\xa0\x80", b"\\ud800",
)  # fmt: skip
_NUMBER = re.compile(rb"\d+(?:\.\d+)?(?:e[+-]?\d+)?")

Mutator = Callable[[bytes, random.Random, Sequence[bytes]], bytes]
"""Takes an input, what decides, and other inputs to take parts of; returns a broken one."""


def mutated(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Return the data with one to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(_CHANGES)(data, rng, others)
    return data[:MAX_BYTES]


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _part(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = _place(data, rng)
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 8, 16, 64, 256)))


def _flipped(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 3, 9))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _set(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    changed[rng.randrange(len(changed))] = rng.choice((0, 9, 10, 32, 48, 57, 127, 128, 255))
    return bytes(changed)


def _cut(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    return data[: _place(data, rng)]


def _without_part(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    start, stop = _part(data, rng)
    return data[:start] + data[stop:]


def _doubled(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    start, stop = _part(data, rng)
    return data[:start] + data[start:stop] * rng.choice((2, 2, 3, 50)) + data[stop:]


def _spliced(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others)
    return data[: _place(data, rng)] + other[_place(other, rng) :]


def _moved(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others)
    start, stop = _part(other, rng)
    place = _place(data, rng)
    return data[:place] + other[start:stop] + data[place:]


def _other_number(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    numbers = list(_NUMBER.finditer(data, *_window(data, rng)))
    if not numbers:
        return _binary_number(data, rng, _)
    found = rng.choice(numbers)
    return data[: found.start()] + _number_text(rng) + data[found.end() :]


def _window(data: bytes, rng: random.Random) -> tuple[int, int]:
    """Return a piece short enough to search in every time."""
    start = 0 if len(data) <= 2000 else rng.randrange(len(data) - 1000)
    return start, start + 2000


def _number_text(rng: random.Random) -> bytes:
    if rng.random() < 0.4:
        return rng.choice(TEXTS)
    return str(rng.choice(EXTREMES)).encode() if rng.random() < 0.6 else b"%d" % rng.randrange(9)


def _text_put_in(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    place = _place(data, rng)
    return data[:place] + rng.choice(TEXTS) + data[place:]


def _binary_number(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Put an extreme number where one may be, in any width and byte order."""
    kind = rng.choice(("<q", "<i", "<h", ">q", ">i", "<d", "<f"))
    size = struct.calcsize(kind)
    if len(data) < size:
        return data
    step = size if rng.random() < 0.5 else 1  # arrays are mostly aligned
    place = rng.randrange(0, len(data) - size + 1, step)
    if kind[1] in "df":
        number = struct.pack(kind, rng.choice((float("nan"), float("inf"), -1.0, 0.5, 1e38, 1e-40)))
    else:
        number = (rng.choice(EXTREMES[:-3]) % 2 ** (8 * size)).to_bytes(
            size, "little" if kind[0] == "<" else "big"
        )
    return data[:place] + number + data[place + size :]


def _lines_changed(data: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    if rng.random() < 0.5:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines.insert(i, lines[j])
    return b"\n".join(lines)


_CHANGES: tuple[Mutator, ...] = (
    _flipped, _flipped, _set, _cut, _without_part, _doubled, _spliced, _moved, _other_number,
    _other_number, _other_number, _text_put_in, _binary_number, _lines_changed,
)  # fmt: skip
