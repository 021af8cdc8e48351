"""Texts in files, cut into parts that become shards: files of a folder, or objects of a storage.

An address such as s3://bucket/folder is read by way of fsspec, one file at a time: each worker
copies the files of its part to a temporary folder and reads them there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blocklda.formats.registry import FORMATS, find_reader
from blocklda.formats.text_folder import document_name, text_files
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.extras import import_extra

__all__ = ["TextPart", "find_parts", "is_folder_of_tables", "local_files"]

TABLES = ("parquet", "csv", "jsonl")
"""Formats of which a folder may have many files, with many texts in each."""

TEXTS = "texts"
"""One text in each file."""

MOST_GROUPS = 16
"""Files with one text each are put together to so many shards, if nothing is said."""


class _File(NamedTuple):
    name: str
    n_bytes: int
    document: str | None = None


@dataclass(frozen=True)
class TextPart:
    """Files that are read together."""

    files: tuple[str, ...]
    format: str
    n_bytes: int
    doc_names: tuple[str, ...] | None = None
    """What the documents are called, where each file is one."""
    n_shards: int = 1
    """How many shards it is cut into when it has been counted."""


def find_parts(given: Any, kind: str = "auto", n_shards: int | None = None) -> list[TextPart]:
    """Return the parts of a folder, a file or a list of files; addresses are those of fsspec.

    Without ``n_shards`` every file is a part. Else there are so many: neighbours are put together,
    or parts are to be cut.
    """
    listed = list(given) if isinstance(given, list | tuple) else [given]
    if not listed:
        raise InputError("there is no file to read: give the name of one, or several.")
    files: list[_File] = []
    kinds = []
    for one in listed:
        found, of_one = _files_of(os.fspath(one), kind)
        kinds.append(found)
        files += of_one
    if len(set(kinds)) > 1:
        raise InputError.of(
            "several inputs must be of one kind, and these are read as {kinds}: [bring them into "
            "one format, or name it with {format=}]."
        ).where(kinds=" and ".join(sorted(set(kinds))))
    return _grouped(files, kinds[0], n_shards)


def _grouped(files: Sequence[_File], kind: str, n_shards: int | None) -> list[TextPart]:
    wanted = n_shards or (min(MOST_GROUPS, len(files)) if kind == TEXTS else len(files))
    n_parts = min(wanted, len(files))
    n_cuts = -(-wanted // n_parts)
    ends = np.cumsum([1 + file.n_bytes for file in files])
    # Each part ends where its share of all bytes does, with at least one file for each.
    goals = ends[-1] * np.arange(1, n_parts) // n_parts
    cuts = np.searchsorted(ends, goals).tolist()
    for i in range(len(cuts)):
        least = cuts[i - 1] + 1 if i else 1
        cuts[i] = min(max(cuts[i], least), len(files) - (n_parts - 1 - i))
    bounds = zip([0, *cuts], [*cuts, len(files)], strict=True)
    return [_part(files[first:last], kind, n_cuts) for first, last in bounds]


def _part(files: Sequence[_File], kind: str, n_shards: int) -> TextPart:
    names = tuple(file.document for file in files if file.document is not None)
    return TextPart(
        tuple(file.name for file in files),
        kind,
        sum(file.n_bytes for file in files),
        names or None,
        n_shards,
    )


def _files_of(name: str, kind: str) -> tuple[str, list[_File]]:
    """Return the kind of a file or folder, and the files."""
    return _at_address(name, kind) if "://" in name else _on_this_machine(Path(name), kind)


def _on_this_machine(path: Path, kind: str) -> tuple[str, list[_File]]:
    if not path.is_dir():
        found, _ = find_reader(path, kind)
        if found not in (*TABLES, TEXTS, "lines"):
            raise _not_texts(str(path), found)
        document = document_name(path.name) if found == TEXTS else None
        return found, [_File(str(path.resolve()), path.stat().st_size, document)]
    tables = sorted(one for one in path.iterdir() if _kind_of(one.name, kind) in TABLES)
    if tables:
        found = _one_kind(str(path), [_kind_of(one.name, kind) for one in tables])
        return found, [_File(str(one.resolve()), one.stat().st_size) for one in tables]
    try:
        texts = text_files(path)
    except InputError as error:
        raise InputError(
            f"{path} is neither a sharded corpus, which `blocklda convert --shards` writes, nor a "
            "folder of Parquet, CSV, JSON lines or .txt files: give one of these."
        ) from error
    return TEXTS, [
        _File(str((path / one).resolve()), (path / one).stat().st_size, document_name(one))
        for one in texts
    ]


def _at_address(address: str, kind: str) -> tuple[str, list[_File]]:
    fsspec = import_extra("fsspec", "dask", "an address of a storage")
    try:
        storage, root = fsspec.core.url_to_fs(address)
        found = storage.find(root, detail=True)
    except (OSError, ValueError, ImportError) as error:
        raise InputError(
            f"{address!r:.200} cannot be read ({type(error).__name__}: {error!s:.200}): give an "
            "address that fsspec knows, with the package that it needs for it."
        ) from error
    whole = {storage.unstrip_protocol(name): facts for name, facts in sorted(found.items())}
    names = [name for name in whole if not name.rpartition("/")[2].startswith((".", "_"))]
    if not names:
        raise InputError(f"there is nothing at {address!r:.200}: give a file or a folder of texts.")
    start = len(storage.unstrip_protocol(root).rstrip("/")) + 1
    tables = [name for name in names if _kind_of(name.rpartition("/")[2], kind) in TABLES]
    if tables:
        one_kind = _one_kind(address, [_kind_of(name, kind) for name in tables])
        return one_kind, [_File(name, int(whole[name]["size"] or 0)) for name in tables]
    texts = [name for name in names if name.lower().endswith((".txt", ".txt.gz"))]
    if not texts:
        raise InputError(
            f"{address!r:.200} has no Parquet, CSV, JSON lines or .txt files: give a folder of one "
            "of these."
        )
    return TEXTS, [
        _File(name, int(whole[name]["size"] or 0), document_name(name[start:] or name))
        for name in texts
    ]


def _kind_of(name: str, kind: str) -> str | None:
    """Return the format that the name of a file tells, if it is one of tables."""
    for one in TABLES:
        if FORMATS[one].recognises(Path(name)):
            return one if kind in ("auto", one) else None
    return None


def _one_kind(place: str, kinds: Sequence[str | None]) -> str:
    found = sorted({str(one) for one in kinds})
    if len(found) > 1:
        raise InputError.of(
            "{place} has files of the kinds {kinds}: [name one of them with {format=}]."
        ).where(place=place, kinds=" and ".join(found))
    return found[0]


def _not_texts(path: str, found: str) -> InputError:
    return InputError.of(
        "{path} is read as {found}, which holds counts and is not cut into shards by workers: "
        "[write shards of it with blocklda convert --shards on this machine]."
    ).where(path=path, found=found)


def is_folder_of_tables(path: Path) -> bool:
    """Whether a path is a folder with files that hold many texts each."""
    return os.path.isdir(path) and any(_kind_of(name, "auto") for name in os.listdir(path))


@contextmanager
def local_files(part: TextPart) -> Iterator[list[Path]]:
    """Give the files of a part on this machine; those of a storage are copied and removed again."""
    if not any("://" in name for name in part.files):
        yield [Path(name) for name in part.files]
        return
    fsspec = import_extra("fsspec", "dask", "an address of a storage")
    with tempfile.TemporaryDirectory(prefix="blocklda-") as folder:
        copies = []
        for number, name in enumerate(part.files):
            # Files of different folders may be called alike; suffixes tell the format.
            copy = Path(folder) / f"{number}-{name.rpartition('/')[2]}"
            try:
                with fsspec.open(name, "rb") as source, copy.open("wb") as target:
                    shutil.copyfileobj(source, target, 2**20)
            except OSError as error:
                raise FileFormatError(f"cannot read {name}: {error!s:.200}.") from error
            copies.append(copy)
        yield copies
