"""NPZ files with a JSON header: no pickle, nothing lost in writing, nothing believed in reading."""

from __future__ import annotations

import json
import math
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from blocklda.files.atomic_write import replace_file
from blocklda.files.npy_header import read_npy_header
from blocklda.files.regular_file import open_regular
from blocklda.support.errors import FileFormatError, InputError, OtherModelError

__all__ = [
    "MAX_UNPACKED",
    "Archive",
    "Part",
    "open_archive",
    "prefixed",
    "write_archive",
    "write_arrays",
]

MAX_HEADER_BYTES = 16_000_000
MAX_NPY_HEADER = 10 + 2**16
"""What the format of NPY files has before the numbers."""

MAX_UNPACKED = 2**24
"""Bytes of a packed array that is read without knowing how large it may be."""

PACKING_LEVEL = 1
"""Of zlib. Level 6 takes a tenth less room and more than three times as long."""

_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    TypeError,
    OverflowError,
    RuntimeError,
)
"""What zipfile and NumPy raise for archives and array headers that are not what they should be."""


def write_archive(
    path: Path,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    packed: Iterable[tuple[str, NDArray[Any]]] = (),
) -> None:
    """Write a header and named arrays aside, sync them, and put them in the place of the old file.

    ``header`` needs a "kind" and a "version", which :func:`open_archive` asks for. Arrays in
    ``packed`` are compressed one after another, so that a generator need not have all at once.
    """
    raw = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    with replace_file(path) as file:
        write_arrays(file, {"header": raw, **arrays}, packed)


def write_arrays(
    file: IO[bytes],
    arrays: Mapping[str, NDArray[Any]],
    packed: Iterable[tuple[str, NDArray[Any]]] = (),
) -> None:
    """Write arrays to a file that need not be readable, some of them packed."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            _add(archive, name, array)
        archive.compression, archive.compresslevel = zipfile.ZIP_DEFLATED, PACKING_LEVEL
        for name, array in packed:
            _add(archive, name, array)


def _add(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Add an array as NumPy's own archives have it."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


@contextmanager
def open_archive(
    path: Path, kind: str, version: int | tuple[int, ...], what: str
) -> Iterator[Archive]:
    """Open a file of this kind and one of the versions; ``what`` is what a user calls it."""
    versions = (version,) if isinstance(version, int) else version
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            yield Archive(path, archive, kind, versions, what)
    except FileNotFoundError as error:
        raise FileFormatError(f"{path} does not exist: give a file that holds {what}.") from error
    except OSError as error:
        raise FileFormatError(f"cannot read {path}: {error.strerror or error}.") from error
    # What zipfile raises for damaged archives, and for kinds of archives it does not know.
    except (zipfile.BadZipFile, NotImplementedError) as error:
        reason = str(error) or "it is not an NPZ archive"
        raise Archive.refusal(path, what, reason) from error


class Archive:
    """The arrays of a file, each read with the shape and type it must have."""

    def __init__(
        self,
        path: Path,
        archive: zipfile.ZipFile,
        kind: str,
        versions: tuple[int, ...],
        what: str,
    ) -> None:
        self.path = path
        self._what = what
        self._archive = archive
        self.header = self._header(kind, versions)

    @staticmethod
    def refusal(path: Path, what: str, reason: str) -> FileFormatError:
        """Make the error that says what is wrong with a file."""
        return FileFormatError.of(
            "{path} is not {what} that can be read: {reason}. [Use another copy]."
        ).where(path=path, what=what, reason=reason)

    def damaged(self, reason: str) -> FileFormatError:
        """Make the error that says what is wrong with this file."""
        return self.refusal(self.path, self._what, reason)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn what goes wrong with the contents of the file into errors that name it."""
        try:
            yield
        except (FileFormatError, OtherModelError):
            raise
        except InputError as error:
            raise self.damaged(error.message.clause()) from error
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise self.damaged(f"its header is incomplete ({error!r})") from error

    def has(self, name: str) -> bool:
        """Return True if there is an array of this name."""
        return f"{name}.npy" in self._archive.namelist()

    def array(
        self,
        name: str,
        dtype: np.dtype[Any] | type[np.generic],
        ndim: int,
        max_size: int | None = None,
    ) -> NDArray[Any]:
        """Return an array that must have this type and number of dimensions.

        A packed one that is large must not have more than ``max_size`` numbers.
        """
        max_bytes = 0 if max_size is None else max_size * np.dtype(dtype).itemsize
        array = self.any_array(name, max_bytes)
        if array.dtype != np.dtype(dtype) or array.ndim != ndim:
            raise self.damaged(f"{name!r} is {array.dtype} of {array.ndim} dimensions")
        return array

    def shaped(
        self, name: str, dtype: np.dtype[Any] | type[np.generic], shape: tuple[int, ...]
    ) -> NDArray[Any]:
        """Return an array that must have this type and shape."""
        array = self.array(name, dtype, len(shape), math.prod(shape))
        if array.shape != shape:
            raise self.damaged(f"{name!r} has the shape {array.shape} instead of {shape}")
        return array

    def any_array(self, name: str, max_bytes: int = 0) -> NDArray[Any]:
        """Return an array, whatever its type and shape; its checksum is verified before that.

        No array that is stored as it is can be larger than the file itself, and a packed one is
        read only if it is small or has at most ``max_bytes``: a small file may claim any size.
        """
        try:
            member = self._archive.getinfo(f"{name}.npy")
        except KeyError:
            raise self.damaged(f"it has no {name!r}") from None
        stored_size = os.fstat(self._archive.fp.fileno()).st_size if self._archive.fp else 0
        # zipfile allocates as much as either size says.
        is_stored = member.compress_type == zipfile.ZIP_STORED
        if is_stored:
            is_right = member.compress_size == member.file_size <= stored_size
        else:
            is_right = (
                member.compress_type == zipfile.ZIP_DEFLATED
                and member.file_size <= max(max_bytes, MAX_UNPACKED) + MAX_NPY_HEADER
                and member.compress_size <= stored_size
            )
        if not is_right:
            raise self.damaged(f"{name!r} is compressed in a way that blocklda never uses")
        try:
            return _decode(self._archive.read(member))
        except _UNREADABLE as error:
            raise self.damaged(f"{name!r} cannot be read ({error})") from error

    def _header(self, kind: str, versions: tuple[int, ...]) -> dict[str, Any]:
        raw = self.array("header", np.uint8, 1)
        if len(raw) > MAX_HEADER_BYTES:
            raise self.damaged("its header is too long")
        try:
            header = json.loads(raw.tobytes())
        except (ValueError, RecursionError) as error:
            raise self.damaged("its header is not JSON") from error
        if not isinstance(header, dict) or header.get("kind") != kind:
            raise self.damaged(f"its header is not that of {self._what}")
        if header.get("version") not in versions:
            known = " and ".join(map(str, versions))
            raise FileFormatError(
                f"{self.path} has version {header.get('version')!r} of the format of {self._what}; "
                f"this version of blocklda reads version {known}. Install the blocklda that wrote "
                "the file."
            )
        return header


class Part:
    """The part of a file that belongs to one chain or draw: names of arrays have a prefix."""

    def __init__(self, archive: Archive, prefix: str, header: Mapping[str, Any]) -> None:
        self.header = header
        self.damaged = archive.damaged
        self.reading = archive.reading
        self._archive = archive
        self._prefix = prefix

    def has(self, name: str) -> bool:
        """Return True if there is an array of this name."""
        return self._archive.has(self._prefix + name)

    def array(
        self,
        name: str,
        dtype: np.dtype[Any] | type[np.generic],
        ndim: int,
        max_size: int | None = None,
    ) -> NDArray[Any]:
        """Return an array that must have this type and number of dimensions."""
        return self._archive.array(self._prefix + name, dtype, ndim, max_size)

    def shaped(
        self, name: str, dtype: np.dtype[Any] | type[np.generic], shape: tuple[int, ...]
    ) -> NDArray[Any]:
        """Return an array that must have this type and shape."""
        return self._archive.shaped(self._prefix + name, dtype, shape)


def prefixed(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a part under the names that :class:`Part` looks for."""
    return {prefix + name: values for name, values in arrays.items()}


def _decode(content: bytes) -> NDArray[Any]:
    """Return the array in the bytes of an NPY file; its header must fit what follows it."""
    header = read_npy_header(content)
    if header.version != (1, 0):
        raise ValueError("it is not an NPY file of version 1.0")
    if header.dtype.hasobject or header.fortran_order or header.n_bytes != len(content):
        raise ValueError("its header does not match its contents")
    numbers = np.frombuffer(content, dtype=header.dtype, offset=header.start)
    return numbers.reshape(header.shape).copy()
