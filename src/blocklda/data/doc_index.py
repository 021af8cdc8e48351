"""The index of a data frame or series, kept with its documents whatever its type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["DocIndex", "index_of"]

KINDS = {"i": "integer", "u": "integer", "f": "float", "b": "boolean", "M": "datetime"}
"""Types of labels that files keep, by NumPy's letters; others are kept as text."""


@dataclass(frozen=True, eq=False)
class DocIndex:
    """The labels of documents as pandas had them, so that frames of results can be joined.

    Attributes
    ----------
    labels
        The labels as text, one per document.
    content
        What a file holds: the values of each level of the index, their kinds and names.
    """

    labels: tuple[str, ...]
    content: Mapping[str, Any]
    _index: Any = field(default=None, repr=False)

    @classmethod
    def of(cls, index: Any) -> DocIndex:
        """Return the index of pandas that was given."""
        levels = [index.get_level_values(level) for level in range(index.nlevels)]
        names = [name if isinstance(name, str) else None for name in index.names]
        content = {"names": names, "levels": [_level(level) for level in levels]}
        labels = [tuple(map(str, row)) for row in zip(*levels, strict=True)]
        return cls(tuple(", ".join(label) for label in labels), content, index)

    @classmethod
    def from_content(cls, content: Mapping[str, Any], labels: tuple[str, ...]) -> DocIndex:
        """Return an index from what a file holds; pandas is imported when a frame is made."""
        levels, names = content["levels"], content["names"]
        kinds = {*KINDS.values(), "text"}
        if len(names) != len(levels) or not levels:
            raise ValueError("the index of its documents has different numbers of names and levels")
        for level in levels:
            if level["kind"] not in kinds or len(level["values"]) != len(labels):
                raise ValueError("the index does not match its documents")
        return cls(labels, content)

    def to_pandas(self, pandas: Any) -> Any:
        """Return the index as pandas had it."""
        if self._index is not None:
            return self._index
        levels = [_restored(pandas, level) for level in self.content["levels"]]
        names = self.content["names"]
        if len(levels) == 1:
            return pandas.Index(levels[0], name=names[0])
        return pandas.MultiIndex.from_arrays(levels, names=names)


def index_of(X: Any) -> DocIndex | None:
    """Return the index of a data frame or series of pandas, unless it only numbers the rows.

    Strings without a name are names of documents, which a corpus keeps as such.
    """
    index = getattr(X, "index", None)
    if index is None or not hasattr(index, "get_level_values"):
        return None
    if index.nlevels == 1 and index.name is None and (_numbers_rows(index) or _is_strings(index)):
        return None
    return DocIndex.of(index)


def _numbers_rows(index: Any) -> bool:
    return index.dtype.kind in "iu" and bool((np.asarray(index) == np.arange(len(index))).all())


def _is_strings(index: Any) -> bool:
    return all(isinstance(label, str) for label in index)


def _level(values: Any) -> dict[str, Any]:
    kind = KINDS.get(getattr(values.dtype, "kind", "O"), "text")
    if kind == "datetime":
        return {"kind": kind, "values": [value.isoformat() for value in values]}
    if kind == "text":
        return {"kind": kind, "values": [str(value) for value in values]}
    return {"kind": kind, "values": values.tolist()}


def _restored(pandas: Any, level: Mapping[str, Any]) -> Any:
    values = level["values"]
    return pandas.to_datetime(values) if level["kind"] == "datetime" else values
