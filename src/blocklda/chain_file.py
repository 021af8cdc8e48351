"""Chains on disk: one NPZ file with a JSON header, no pickle, written so that nothing is lost."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import tempfile
import tokenize
import zipfile
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blocklda.checks import whole_number
from blocklda.convolution import check_convolution
from blocklda.corpus import Corpus
from blocklda.errors import FileFormatError, InputError
from blocklda.priors import Priors
from blocklda.starts import check_topics
from blocklda.state import State, SweepOptions

__all__ = ["ChainRecord", "read_chain", "write_chain"]

KIND = "blocklda chain"
VERSION = 1
GENERATOR = "PCG64"
MAX_HEADER_BYTES = 1_000_000


@dataclass
class ChainRecord:
    """Everything about a chain that a file keeps."""

    state: State
    options: SweepOptions
    sampler: str
    backend: str
    n_steps: int


def write_chain(path: str | os.PathLike[str], record: ChainRecord) -> None:
    """Write a chain aside, sync it, and put it in the place of the old file."""
    state = record.state
    header = {
        "kind": KIND,
        "version": VERSION,
        "corpus": state.corpus.fingerprint,
        "sampler": record.sampler,
        "backend": record.backend,
        "n_sweeps": state.n_sweeps,
        "random_start": state.random_start,
        "n_steps": record.n_steps,
        "max_block": record.options.max_block,
        "convolution": record.options.convolution,
        "n_threads": record.options.n_threads,
        "generator": state.rng.bit_generator.state,
    }
    arrays: dict[str, np.ndarray] = {
        "header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
        "topics": state.topics,
        "alpha": state.priors.alpha,
        "beta": state.priors.beta,
        "beta_sum": state.priors.beta_sum,
    }
    _replace_file(_file(path), arrays)


def _file(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path names, links followed: a link to a file stays a link."""
    try:
        return Path(path).resolve()
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise InputError(f"{path!r:.80} cannot name a file ({error}): give a path.") from error


def _replace_file(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    if path.exists() and not path.is_file():
        raise InputError(f"cannot write {path}: it is not a file. Give the name of a file.")
    try:
        handle, name = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(_mode(path))
        aside.replace(path)
        # The new file is in its place; where its folder cannot be synced, that is all there is.
        with contextlib.suppress(OSError):
            _sync_folder(path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        aside.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """Return the permissions of the file to replace, or those a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where folders can be synced (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _cannot_write(path: Path, error: OSError) -> InputError:
    reason = error.strerror or str(error)
    return InputError(
        f"cannot write {path}: {reason}. Choose a folder that exists and has room; "
        "a file of that name is as it was."
    )


def read_chain(
    path: str | os.PathLike[str], corpus: Corpus, known_samplers: Collection[str]
) -> ChainRecord:
    """Read a chain that ran on ``corpus``; anything else in the file is refused."""
    path = _file(path)
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            record = _record(path, _Fields(path, archive), corpus)
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: give a file that Chain.save wrote.") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise _damaged(path, str(error) or "it is not an NPZ archive") from error
    if record.sampler not in known_samplers:
        raise _damaged(path, f"its sampler {record.sampler!r} is unknown here")
    return record


class _Fields:
    """The arrays of a file, each read with the shape and type it must have."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path = path
        self._archive = archive

    def array(self, name: str, dtype: type[np.generic], ndim: int) -> np.ndarray:
        array = self._read(name)
        if array.dtype != np.dtype(dtype) or array.ndim != ndim:
            raise _damaged(self._path, f"{name!r} is {array.dtype} of {array.ndim} dimensions")
        return array

    def _read(self, name: str) -> np.ndarray:
        """Return an array of the archive; its checksum is verified before it is looked at.

        Arrays are stored as they are, so none can be larger than the file itself.
        """
        try:
            member = self._archive.getinfo(f"{name}.npy")
        except KeyError:
            raise _damaged(self._path, f"it has no {name!r}") from None
        stored_size = os.fstat(self._archive.fp.fileno()).st_size if self._archive.fp else 0
        if member.compress_type != zipfile.ZIP_STORED or member.file_size > stored_size:
            raise _damaged(self._path, f"{name!r} is packed in a way that Chain.save never uses")
        try:
            return _decode(self._archive.read(member))
        except _UNREADABLE as error:
            raise _damaged(self._path, f"{name!r} cannot be read ({error})") from error

    def header(self) -> dict[str, Any]:
        raw = self.array("header", np.uint8, 1)
        if len(raw) > MAX_HEADER_BYTES:
            raise _damaged(self._path, "its header is too long")
        try:
            header = json.loads(raw.tobytes())
        except (ValueError, RecursionError) as error:
            raise _damaged(self._path, "its header is not JSON") from error
        if not isinstance(header, dict) or header.get("kind") != KIND:
            raise _damaged(self._path, "its header is not that of a chain")
        if header.get("version") != VERSION:
            raise FileFormatError(
                f"{self._path} has version {header.get('version')!r} of the chain format; this "
                f"blocklda reads version {VERSION}. Install the blocklda that wrote it."
            )
        return header


_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    TypeError,
    SyntaxError,
    OverflowError,
    RuntimeError,
    tokenize.TokenError,
)
"""What zipfile and NumPy raise for archives and array headers that are not what they should be."""


def _decode(content: bytes) -> np.ndarray:
    """Return the array in the bytes of an NPY file; its header must fit what follows it."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("it is no NPY file of version 1.0")
    shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(stream)
    values = content[stream.tell() :]
    if dtype.hasobject or fortran_order or math.prod(shape) * dtype.itemsize != len(values):
        raise ValueError("its header does not fit its contents")
    return np.frombuffer(values, dtype=dtype).reshape(shape).copy()


def _record(path: Path, fields: _Fields, corpus: Corpus) -> ChainRecord:
    header = fields.header()
    if header.get("corpus") != corpus.fingerprint:
        raise InputError(
            f"{path} holds a chain on another corpus: give the documents and words it ran on, in "
            "the same order."
        )
    priors = _priors(path, fields, corpus)
    try:
        topics = check_topics(fields.array("topics", np.int32, 1), corpus, priors.n_topics)
        max_block = header["max_block"]
        options = SweepOptions(
            max_block=None if max_block is None else whole_number("max_block", max_block, 1),
            convolution=check_convolution(header["convolution"]),
            n_threads=whole_number("n_threads", header["n_threads"], 1),
        )
        record = ChainRecord(
            state=State(
                corpus,
                priors,
                topics,
                _generator(header["generator"]),
                n_sweeps=whole_number("n_sweeps", header["n_sweeps"], 0),
                random_start=header.get("random_start") is True,
            ),
            options=options,
            sampler=str(header["sampler"]),
            backend=str(header["backend"]),
            n_steps=whole_number("n_steps", header["n_steps"], 0),
        )
    except FileFormatError:
        raise
    except InputError as error:
        raise _damaged(path, str(error).rstrip(".")) from error
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _damaged(path, f"its header is incomplete ({error!r})") from error
    return record


def _priors(path: Path, fields: _Fields, corpus: Corpus) -> Priors:
    alpha = fields.array("alpha", np.float64, 1)
    beta = fields.array("beta", np.float64, 2)
    beta_sum = fields.array("beta_sum", np.float64, 1)
    n_topics = len(alpha)
    shapes_fit = (
        n_topics >= 1
        and beta_sum.shape == (n_topics,)
        and beta.shape in ((1, n_topics), (corpus.n_words, n_topics))
    )
    if not shapes_fit:
        raise _damaged(path, "its priors do not fit each other")
    for values in (alpha, beta, beta_sum):
        if not (np.isfinite(values) & (values > 0)).all():
            raise _damaged(path, "its priors are not positive numbers")
    expected = beta.sum(axis=0) * (1 if len(beta) == corpus.n_words else corpus.n_words)
    shared_row = len(beta) < corpus.n_words
    if not np.allclose(beta_sum, expected, rtol=1e-9, atol=0) or (shared_row and np.ptp(beta)):
        raise _damaged(path, "its priors do not fit each other")
    return Priors(alpha, beta, beta_sum)


def _generator(state: Any) -> np.random.Generator:
    bit_generator = np.random.PCG64()
    if state["bit_generator"] != GENERATOR:
        raise ValueError(f"unknown generator {state['bit_generator']!r}")
    bit_generator.state = state
    return np.random.Generator(bit_generator)


def _damaged(path: Path, what: str) -> FileFormatError:
    return FileFormatError(f"{path} is not a chain that can be read: {what}. Use another copy.")
