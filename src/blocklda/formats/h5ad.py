"""AnnData's .h5ad: cells are documents, genes are words. Read with h5py, not with all of AnnData.

The counts are X, sparse or dense. Where X holds something else, normalised values say, nothing is
guessed: the error says where in the file there are counts, if they are there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from blocklda.data.corpus import Corpus
from blocklda.formats.npz import refuse_repeats
from blocklda.formats.numbers.h5ad_items import (
    as_text,
    has_item,
    item_in,
    read_strings,
    require_room,
)
from blocklda.formats.numbers.h5ad_matrix import holds_counts, read_matrix
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import open_file
from blocklda.formats.words.vocabulary import corpus_of
from blocklda.support.errors import BlockldaError, FileFormatError, InputError
from blocklda.support.extras import import_extra
from blocklda.support.messages import Message

if TYPE_CHECKING:
    import h5py

__all__ = ["OPTIONS", "read", "recognises"]

OPTIONS = frozenset({"transpose", "layer"})

RAW = "raw/X"
"""Where AnnData keeps the matrix from before genes were chosen and numbers normalised."""

# What h5py and NumPy raise for files that are damaged or laid out in another way.
_UNREADABLE = (
    OSError,
    KeyError,
    ValueError,
    TypeError,
    RuntimeError,
    AttributeError,
    IndexError,
    UnicodeError,
    OverflowError,
)


def recognises(path: Path) -> bool:
    """Return True if a file is called .h5ad."""
    return path.name.lower().endswith(".h5ad")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read X; its columns are called as var, its rows as obs."""
    open_file(path).close()  # a missing file is reported as for every format
    h5py = import_extra("h5py", "h5ad", f"{path}: reading .h5ad files")
    try:
        with h5py.File(path, "r") as file:
            return _read(path, file, options)
    except BlockldaError:
        raise
    except _UNREADABLE as error:
        reason = str(error).strip("'\"").splitlines() or [type(error).__name__]
        raise FileFormatError(
            f"{path} is not an AnnData file that can be read ({reason[0]:.160}); save it again "
            "with adata.write_h5ad."
        ) from error


def _read(path: Path, file: h5py.File, options: ReadOptions) -> Corpus:
    place = _place(path, file, options.layer)
    matrix = read_matrix(path, place, item_in(path, file, place), lambda: _advice(path, file))
    axes = ("raw/var" if place == RAW else "var", "obs")
    if options.transpose:
        matrix, axes = matrix.T, axes[::-1]
    words = options.vocabulary
    if words is None:
        words = _index(path, file, axes[0], matrix.shape[1])
    corpus = corpus_of(path, matrix, words, doc_names=_index(path, file, axes[1], matrix.shape[0]))
    refuse_repeats(path, corpus, matrix)
    return corpus


def _place(path: Path, file: h5py.File, layer: str | None) -> str:
    """Return where the counts are: X, raw/X or a layer."""
    if layer is None:
        if not has_item(file, "X"):
            raise FileFormatError(f"{path}: there is no X in the file; ", _advice(path, file), ".")
        return "X"
    known = _places(path, file)
    place = layer if layer in known else f"layers/{layer}"
    if place not in known:
        names = [name.removeprefix("layers/") for name in known]
        raise InputError.of("{path}: there is no {layer=}: [give one of <{allowed}>].").where(
            path=path, layer=layer, allowed=", ".join(map(repr, names)) or "none"
        )
    return place


def _places(path: Path, file: h5py.File) -> list[str]:
    """Return where a file has matrices beside X."""
    layers = item_in(path, file, "layers") if has_item(file, "layers") else []
    has_raw = has_item(file, "raw") and has_item(item_in(path, file, "raw"), "X")
    return [RAW] * has_raw + [f"layers/{name}" for name in sorted(layers)]


def _advice(path: Path, file: h5py.File) -> Message:
    """Say where the counts are that X does not hold."""
    for place in _places(path, file):
        if holds_counts(path, item_in(path, file, place)):
            return Message.of(
                "{place} holds whole numbers: if these are the counts, read them with {layer=}"
            ).where(place=place, layer=place.removeprefix("layers/"))
    return Message("use the data from before they were normalised")


def _index(path: Path, file: h5py.File, axis: str, length: int) -> list[str]:
    """Return the names of the observations or the variables."""
    frame = item_in(path, file, axis)
    labels: list[str | None]
    if hasattr(frame, "keys"):
        labels = read_strings(path, item_in(path, frame, as_text(frame.attrs["_index"])))
    else:
        # The oldest files: a table, its index a column of that name or else the first.
        columns = frame.dtype.names
        require_room(path, frame, frame.size * (frame.dtype.itemsize + 64))
        column = frame["index" if "index" in columns else columns[0]]
        labels = [as_text(label) for label in column.tolist()]
    if len(labels) != length:
        raise FileFormatError(
            f"{path}: {axis} has {len(labels)} names, but X has the length {length} along this "
            "axis; save the data again."
        )
    names = [label for label in labels if label is not None]
    if len(names) < length:
        raise FileFormatError(
            f"{path}: {axis} has no name in row {labels.index(None)}; name all rows and save the "
            "data again."
        )
    return names
