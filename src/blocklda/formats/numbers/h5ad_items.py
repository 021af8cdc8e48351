"""What is in an AnnData file: found without leaving the file, read if the memory can bear it.

HDF5 can link to other files, keep numbers in them, and pack a great many equal ones into nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blocklda.support.errors import FileFormatError
from blocklda.support.memory import available_bytes, require_memory

if TYPE_CHECKING:
    import h5py

__all__ = ["as_text", "has_item", "item_in", "read_all", "read_strings", "require_room"]

# A Python string and its place in a list.
_BYTES_PER_STRING = 64
_STRINGS_AT_A_TIME = (16, 4096)

_REMEDY = "use a part of the data, or a machine with more memory"


def as_text(value: Any) -> str:
    """Return an attribute or a label, which h5py may give as bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)


def has_item(group: h5py.Group, name: str) -> bool:
    """Return True if there is something of this name; a link counts, wherever it leads."""
    return group.get(name, getlink=True) is not None


def item_in(path: Path, group: h5py.Group, name: str) -> Any:
    """Return a group or a dataset that is in the file itself."""
    item: Any = group
    for part in name.split("/"):
        link = item.get(part, getlink=True)
        if link is None:
            raise KeyError(name)
        # AnnData writes hard links alone; soft ones may lead to external ones.
        if type(link).__name__ != "HardLink":
            raise FileFormatError(
                f"{path}: {name!r:.80} is a link that may lead to another file, and is not "
                "followed; save the data again with adata.write_h5ad."
            )
        item = item[part]
    if hasattr(item, "is_virtual") and (item.is_virtual or item.external):
        raise FileFormatError(
            f"{path}: the numbers of {name!r:.80} are in other files, which are not read; save the "
            "data again with adata.write_h5ad."
        )
    return item


def read_all(path: Path, dataset: h5py.Dataset, bytes_more: int = 0) -> Any:
    """Return all numbers of a dataset; ``bytes_more`` are needed for each after that."""
    require_room(path, dataset, dataset.size * (dataset.dtype.itemsize + bytes_more))
    return dataset[()]


def require_room(path: Path, dataset: h5py.Dataset, n_bytes: int) -> None:
    """Refuse to read what the memory cannot bear; the smallest part that is read is a chunk."""
    chunk = math.prod(dataset.chunks or ()) * dataset.dtype.itemsize
    require_memory(
        n_bytes + chunk, f"{path}: {as_text(dataset.name):.80} of shape {dataset.shape}", _REMEDY
    )


def read_strings(path: Path, item: h5py.Dataset | h5py.Group) -> list[str | None]:
    """Return an array of strings, however AnnData has encoded it; None for those it misses."""
    if not hasattr(item, "keys"):
        return list(_strings(path, item))
    if has_item(item, "categories"):
        categories = read_strings(path, item_in(path, item, "categories"))
        codes = read_all(path, item_in(path, item, "codes"), _BYTES_PER_STRING).tolist()
        return [None if code < 0 else categories[code] for code in codes]
    values = read_strings(path, item_in(path, item, "values"))
    if not has_item(item, "mask"):
        return values
    missing = read_all(path, item_in(path, item, "mask"), _BYTES_PER_STRING).tolist()
    return [None if gone else value for value, gone in zip(values, missing, strict=True)]


def _strings(path: Path, dataset: h5py.Dataset) -> Iterator[str]:
    """Yield strings some at a time: many may be one long string that the file has once."""
    require_room(path, dataset, dataset.size * (dataset.dtype.itemsize + _BYTES_PER_STRING))
    least, most = _STRINGS_AT_A_TIME
    longest = 4 * max(dataset.dtype.itemsize, path.stat().st_size)
    step = max(least, min(most, (available_bytes() or 2**30) // longest))
    n_letters = 0
    for start in range(0, len(dataset), step):
        texts = [as_text(value) for value in dataset[start : start + step].tolist()]
        n_letters += sum(map(len, texts))
        # What is there has its memory already: there must be room for as much again.
        require_memory(
            n_letters,
            f"{path}: continuing to read {as_text(dataset.name):.80} after {start + step} names",
            _REMEDY,
        )
        yield from texts
