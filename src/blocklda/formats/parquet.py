"""Parquet files with a column of texts; they are read by pyarrow, a few rows at a time.

A text that is missing is a document without words.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blocklda.corpus import Corpus
from blocklda.errors import FileFormatError, InputError
from blocklda.extras import import_extra
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import open_file
from blocklda.formats.words.records import (
    RECORD_OPTIONS,
    Columns,
    Document,
    choose_columns,
    count_documents,
)

if TYPE_CHECKING:
    import pyarrow

__all__ = ["OPTIONS", "read", "recognises"]

OPTIONS = RECORD_OPTIONS

# Enough that the cost per batch vanishes, few enough for long texts.
_ROWS = 512


def recognises(path: Path) -> bool:
    """Whether a file is called .parquet."""
    return path.name.lower().endswith((".parquet", ".pq"))


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the rows and count the words of their texts."""
    parquet = import_extra("pyarrow.parquet", "parquet", f"{path}: reading Parquet files")
    with open_file(path) as file:
        with _told(path):
            table = parquet.ParquetFile(file)
        columns = choose_columns(str(path), table.schema_arrow.names, options)
        _require_types(path, table.schema_arrow, columns)
        return count_documents(path, _documents(path, table, columns), columns.text, options)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in one sentence what pyarrow could not read."""
    from pyarrow import ArrowException  # noqa: PLC0415

    try:
        yield
    except (ArrowException, OSError, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise FileFormatError(
            f"{path}: this cannot be read as Parquet ({reason:.200}); check that it is the right "
            "file, or fetch it again."
        ) from error


def _require_types(path: Path, schema: pyarrow.Schema, columns: Columns) -> None:
    from pyarrow import types  # noqa: PLC0415

    kind = _value_type(schema.field(columns.text).type)
    if not _is_string(kind):
        raise InputError(
            f"{path}: the column {columns.text!r:.80} holds {kind}, not texts: name the column of "
            "the texts with text_column=."
        )
    if columns.id is None:
        return
    kind = _value_type(schema.field(columns.id).type)
    if not (_is_string(kind) or types.is_integer(kind)):
        raise InputError(
            f"{path}: the column {columns.id!r:.80} holds {kind}, not names: name a column of "
            "texts or whole numbers with id_column=."
        )


def _value_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    """Return the type of the values, which may be coded by a dictionary."""
    from pyarrow import types  # noqa: PLC0415

    return kind.value_type if types.is_dictionary(kind) else kind


def _is_string(kind: pyarrow.DataType) -> bool:
    from pyarrow import types  # noqa: PLC0415

    is_string = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return bool(is_string or types.is_null(kind))


def _documents(path: Path, table: Any, columns: Columns) -> Iterator[Document]:
    wanted = [columns.text] if columns.id is None else [columns.text, columns.id]
    batches = table.iter_batches(_ROWS, columns=wanted)
    while True:
        with _told(path):
            batch = next(batches, None)
            if batch is None:
                return
            values = [batch.column(name).to_pylist() for name in wanted]
        for text, *name in zip(*values, strict=True):
            yield Document(text or "", str(name[0]) if name and name[0] is not None else None)
