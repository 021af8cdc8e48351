"""Mutations that know of containers: what is in a zip or gzip file is changed, checksums fit.

Without this nearly every broken archive would be refused by its checksum and none by what reads it.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from torture.fuzz.mutations import EXTREMES, MAX_BYTES, mutated

__all__ = ["gzip_mutated", "json_mutated", "zip_mutated"]

_NPY_MAGIC = b"\x93NUMPY\x01\x00"
_SHAPE = re.compile(rb"'shape': \([^)]*\)")
_DESCR = re.compile(rb"'descr': '[^']*'")
_NUMBERS = (*EXTREMES[:-2], 1.5, 1e308, float("nan"), float("inf"))
_REALS = (float("nan"), float("inf"), -1.0, 0.0, 1e308, 1e-320)
_VALUES = (*_NUMBERS, None, True, "", "x", "../x.npz", "/etc/passwd", [], {}, [[]], [None], {"": 0})
_TYPES = (
    b"<i4", b"<i8", b"<f8", b"|u1", b"|b1", b">i8", b"<f2", b"<c16", b"|O", b"<U9", b"|S0",
    b"<M8[s]", b"|V4", b"<u8",
)  # fmt: skip
_NAMES = ("../x.npy", "/x.npy", "header.npy", "shape.npy", "format.npy", "data.npy", "", "a" * 300)

Members = list[tuple[str, bytes]]


def gzip_mutated(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Change what is packed, mostly; else the packed bytes."""
    if rng.random() < 0.3:
        return mutated(data, rng, others)
    try:
        plain = gzip.decompress(data)
    except (OSError, EOFError, zlib.error, ValueError, struct.error):
        return mutated(data, rng, others)
    changed = mutated(plain[:MAX_BYTES], rng, [plain])
    if rng.random() < 0.005:  # these take most of the time even so
        changed = changed * (2**20 // max(1, len(changed)))  # far larger than the file
    return gzip.compress(changed, 1)


def json_mutated(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Change a value, mostly; else the bytes."""
    return _json_changed(data, rng) if rng.random() < 0.8 else mutated(data, rng, others)


def zip_mutated(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Change an array, a header or the list of files in an archive, mostly; else its bytes."""
    members = _members(data) if rng.random() < 0.85 else None
    if not members:
        changed = mutated(data, rng, others)
        return _sizes_changed(changed, rng) if rng.random() < 0.3 else changed
    for _ in range(rng.choice((1, 1, 2, 4))):
        i = rng.randrange(len(members))
        name, content = members[i]
        action = rng.random()
        if action < 0.85:
            members[i] = name, _array_changed(content, rng, members)
        elif action < 0.89 and len(members) > 1:
            del members[i]
        elif action < 0.93:
            members.append(rng.choice(members))
        elif action < 0.96:
            members[i] = rng.choice(_NAMES), content
        else:
            other = _members(rng.choice(others)) or members
            members.append(rng.choice(other))
    return _packed(members, rng)


def _members(data: bytes) -> Members | None:
    found = _unpacked(data)
    return None if found is None else list(found)


@lru_cache(maxsize=64)  # the seeds and what was read last are broken again and again
def _unpacked(data: bytes) -> Members | None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(one.file_size for one in archive.infolist()) > 16 * MAX_BYTES:
                return None
            return [(one.filename, archive.read(one)) for one in archive.infolist()]
    # Whatever is wrong with an archive that was broken on purpose, its bytes can still be changed.
    except Exception:
        return None


def _packed(members: Members, rng: random.Random) -> bytes:
    stream = io.BytesIO()
    how = zipfile.ZIP_DEFLATED if rng.random() < 0.1 else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w") as archive, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Duplicate name", UserWarning)
        for name, content in members:
            # Made of a name alone it has a fixed time, so the same changes make the same bytes.
            archive.writestr(zipfile.ZipInfo(name), content, how)
    return stream.getvalue()


def _sizes_changed(data: bytes, rng: random.Random) -> bytes:
    """Change a size or an offset in the list of files at the end."""
    place = data.find(b"PK\x01\x02", rng.randrange(len(data) + 1))
    if place < 0 or place + 46 > len(data):
        return data
    changed = bytearray(data)
    field = place + rng.choice((10, 20, 24, 28, 30, 42))
    changed[field : field + 4] = (rng.choice(EXTREMES[:-3]) % 2**32).to_bytes(4, "little")
    return bytes(changed)


def _array_changed(content: bytes, rng: random.Random, members: Members) -> bytes:
    if not content.startswith(_NPY_MAGIC) or rng.random() < 0.05:
        return mutated(content, rng, [other for _, other in members])
    start = 10 + int.from_bytes(content[8:10], "little")
    header, values = content[10:start], content[start:]
    if values.startswith(b"{") and rng.random() < 0.8:
        return _npy(header, _json_changed(values, rng))
    action = rng.random()
    if action < 0.15:
        sizes = b", ".join(
            b"%d" % abs(rng.choice(EXTREMES)) for _ in range(rng.choice((0, 1, 2, 3)))
        )
        return _npy(_SHAPE.sub(b"'shape': (" + sizes + b",)", header), values, fit=False)
    if action < 0.25:
        return _npy(_DESCR.sub(b"'descr': '" + rng.choice(_TYPES) + b"'", header), values)
    if action < 0.3:
        return _npy(mutated(header, rng, [header]), values, fit=False)
    return _npy(header, _values_changed(values, rng))


def _values_changed(values: bytes, rng: random.Random) -> bytes:
    """Change numbers in place, mostly, so that the header still fits."""
    if rng.random() < 0.3:
        return mutated(values, rng, [values])
    changed = bytearray(values)
    for _ in range(rng.choice((1, 1, 3))):
        size = rng.choice((1, 4, 8, 8))
        if len(changed) < size:
            break
        place = rng.randrange(0, len(changed) - size + 1, size)
        whole = rng.choice((0, 1, 2, 3, -1, 2**31 - 1, 2**31, 2**62, -(2**62), rng.randrange(256)))
        number = (whole % 2 ** (8 * size)).to_bytes(size, "little")
        if size == 8 and rng.random() < 0.5:
            number = struct.pack("<d", rng.choice(_REALS))
        changed[place : place + size] = number
    return bytes(changed)


def _npy(header: bytes, values: bytes, *, fit: bool = True) -> bytes:
    """Return an NPY file; its shape made to fit the values where it has one dimension."""
    kind = _DESCR.search(header)
    shape = _SHAPE.search(header)
    if fit and kind and shape and shape[0].count(b",") == 1:
        digits = re.sub(rb"\D", b"", kind[0].partition(b": ")[2]) or b"1"
        length = len(values) // max(1, int(digits))
        if shape[0] != b"'shape': (%d,)" % length:
            header = _SHAPE.sub(b"'shape': (%d,)" % length, header)
    header = header.rstrip(b" \n")[:60_000]
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return _NPY_MAGIC + struct.pack("<H", len(header)) + header + values


def _json_changed(text: bytes, rng: random.Random) -> bytes:
    """Change one value of a JSON text, wherever it is."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return mutated(text, rng, [text])
    places: list[tuple[Any, Any]] = []
    pending = [tree]
    while pending:
        item = pending.pop()
        keys = item.keys() if isinstance(item, dict) else range(len(item))
        for key in keys:
            places.append((item, key))
            if isinstance(item[key], dict | list):
                pending.append(item[key])
    if not places:
        return text
    item, key = rng.choice(places)
    if rng.random() < 0.15:
        del item[key]
    else:
        other, name = rng.choice(places)
        item[key] = other[name] if rng.random() < 0.1 else rng.choice(_VALUES)
    try:
        return json.dumps(tree).encode()
    except (ValueError, RecursionError):  # it may hold itself now
        return text
