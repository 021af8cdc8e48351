"""Parquet files with a column of texts; they are read by pyarrow, a few rows at a time.

A text that is missing is a document without words.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blocklda.data.corpus import Corpus
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import open_file
from blocklda.formats.words.records import (
    RECORD_OPTIONS,
    Columns,
    Document,
    choose_columns,
    count_documents,
    not_only_numbers,
)
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.extras import import_extra
from blocklda.support.messages import Setting

if TYPE_CHECKING:
    import pyarrow

__all__ = ["OPTIONS", "documents", "read", "recognises"]

OPTIONS = RECORD_OPTIONS

# Enough that the cost per batch vanishes, few enough for long texts.
_ROWS = 512

_NO_FRACTION = re.compile(r"(:\d\d)\.0+(?!\d)")
"""The end of a time of day, with zeros for the fraction of a second."""


def recognises(path: Path) -> bool:
    """Return True if a file is called .parquet."""
    return path.name.lower().endswith((".parquet", ".pq"))


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the rows and count the words of their texts."""
    return count_documents(path, documents(path, options), options)


def documents(path: Path, options: ReadOptions) -> Generator[Document]:
    """Yield the documents of the rows."""
    parquet = import_extra("pyarrow.parquet", "parquet", f"{path}: reading Parquet files")
    with open_file(path) as file:
        with _told(path):
            table = parquet.ParquetFile(file)
        columns = choose_columns(str(path), table.schema_arrow.names, options)
        has_tokens = options.tokens_column is not None
        _require_types(path, table.schema_arrow, columns, has_tokens=has_tokens)
        found = _documents(path, table, columns, has_tokens=has_tokens)
        yield from not_only_numbers(path, found, columns.text)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raise errors of pyarrow about a file as one sentence."""
    from pyarrow import ArrowException  # noqa: PLC0415

    try:
        yield
    except (ArrowException, OSError, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise FileFormatError(
            f"{path}: this cannot be read as Parquet ({reason:.200}); check that it is the right "
            "file, or download it again."
        ) from error


def _require_types(
    path: Path, schema: pyarrow.Schema, columns: Columns, *, has_tokens: bool
) -> None:
    from pyarrow import types  # noqa: PLC0415

    if has_tokens:
        _require_lists(path, schema, columns.text or "")
    groups = (types.is_floating, types.is_boolean, types.is_date, types.is_timestamp)
    for column, also, wrong, remedy, option in (
        (
            None if has_tokens else columns.text,
            (),
            "not texts",
            "name the column of the texts",
            "text_column",
        ),
        (
            columns.id,
            (types.is_integer,),
            "not names",
            "name a column of texts or whole numbers",
            "id_column",
        ),
        (
            columns.group,
            (types.is_integer, types.is_decimal, *groups),
            "and documents cannot be grouped by it",
            "name a column of texts, numbers or dates",
            "group_column",
        ),
    ):
        if column is None:
            continue
        kind = _value_type(schema.field(column).type)
        if not (_is_string(kind) or any(is_such(kind) for is_such in also)):
            found = f"{path}: the column {column!r:.80} holds {kind}, {wrong}"
            raise InputError.of("{found}: [{remedy} with {option}].").where(
                found=found, remedy=remedy, option=Setting(option), parameter=option, value=column
            )


def _require_lists(path: Path, schema: pyarrow.Schema, column: str) -> None:
    from pyarrow import types  # noqa: PLC0415

    kind = schema.field(column).type
    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    if not (is_list and _is_string(_value_type(kind.value_type))):
        raise InputError.of(
            "{path}: the column {column!r:.80} holds {kind}, not lists of words: [name the column "
            "of the lists with {tokens_column=}]."
        ).where(path=path, column=column, kind=kind, parameter="tokens_column", value=column)


def _value_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    """Return the type of the values, which may be coded by a dictionary."""
    from pyarrow import types  # noqa: PLC0415

    return kind.value_type if types.is_dictionary(kind) else kind


def _is_string(kind: pyarrow.DataType) -> bool:
    from pyarrow import types  # noqa: PLC0415

    is_string = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return bool(is_string or types.is_null(kind))


def _documents(path: Path, table: Any, columns: Columns, *, has_tokens: bool) -> Iterator[Document]:
    texts = _lists if has_tokens else _strings
    wanted = list(dict.fromkeys(column for column in columns if column is not None))
    batches = table.iter_batches(_ROWS, columns=wanted)
    while True:
        with _told(path):
            batch = next(batches, None)
            if batch is None:
                return
            readers = (texts, _strings, _strings)
            values = [
                repeat(None, batch.num_rows) if column is None else read(batch.column(column))
                for column, read in zip(columns, readers, strict=True)
            ]
        yield from map(Document, *values)


def _lists(column: pyarrow.Array) -> list[list[str]]:
    """Return the lists of words, missing ones empty."""
    return [[word or "" for word in words or ()] for words in column.to_pylist()]


def _strings(column: pyarrow.Array) -> list[str]:
    """Return the values as text, missing ones empty; numbers and dates as Arrow writes them."""
    from pyarrow import string, types  # noqa: PLC0415

    kind = _value_type(column.type)
    if _is_string(kind):
        return [text or "" for text in column.to_pylist()]
    texts = [text or "" for text in column.cast(string()).to_pylist()]
    if types.is_floating(kind):
        return ["" if text == "nan" else text for text in texts]
    return [_NO_FRACTION.sub(r"\1", text) for text in texts] if types.is_timestamp(kind) else texts
