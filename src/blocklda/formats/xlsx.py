"""Workbooks of Excel: the first sheet is a table, its first row the names of the columns.

They are read by openpyxl, a row at a time. A cell that is empty is an empty text.
"""

from __future__ import annotations

import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any

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
from blocklda.support.errors import BlockldaError, FileFormatError
from blocklda.support.extras import import_extra
from blocklda.support.memory import require_memory

__all__ = ["OPTIONS", "documents", "read", "recognises"]

OPTIONS = RECORD_OPTIONS

_BYTES_PER_BYTE = 5
"""A text in a cell is there as bytes, in the parser, and as a string of up to four bytes each."""


def recognises(path: Path) -> bool:
    """Return True for a file that is called .xlsx."""
    return path.name.lower().endswith(".xlsx")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the rows and count the words of their texts."""
    return count_documents(path, documents(path, options), options)


def documents(path: Path, options: ReadOptions) -> Generator[Document]:
    """Yield the documents of the rows of the first sheet."""
    openpyxl = import_extra("openpyxl", "xlsx", f"{path}: reading workbooks")
    with open_file(path) as file:
        rows = _rows(path, file, openpyxl)
        header = next(rows, None)
        if header is None or not any(name is not None for name in header):
            raise FileFormatError(
                f"{path}: the first sheet is empty; its first row holds the names of the columns."
            )
        names = [_text(name) for name in header]
        columns = choose_columns(str(path), names, options)
        found = _documents(rows, names, columns)
        yield from not_only_numbers(path, found, columns.text)


def _rows(path: Path, file: IO[bytes], openpyxl: Any) -> Generator[tuple[Any, ...]]:
    """Yield the rows of the first sheet; say in one sentence what openpyxl could not read."""
    try:
        _require_memory_for_members(path, file)
        with closing(openpyxl.load_workbook(file, read_only=True, data_only=True)) as book:
            yield from book.worksheets[0].iter_rows(values_only=True)
    except BlockldaError:
        raise
    except Exception as error:  # a damaged archive may raise anything
        reason = " ".join(str(error).split())
        raise FileFormatError(
            f"{path}: this cannot be read as a workbook ({reason:.200}); save it again as "
            ".xlsx, or as .csv."
        ) from error


def _require_memory_for_members(path: Path, file: IO[bytes]) -> None:
    """Refuse archives that unpack without end: strings and single rows are in memory whole."""
    with zipfile.ZipFile(file) as archive:
        largest = max((member.file_size for member in archive.infolist()), default=0)
    require_memory(
        _BYTES_PER_BYTE * largest, f"{path}: unpacking it", "save the table as .csv instead"
    )


def _documents(rows: Any, names: list[str], columns: Columns) -> Iterator[Document]:
    places = [None if column is None else names.index(column) for column in columns]
    for row in rows:
        if any(cell is not None for cell in row):
            yield Document(*(None if at is None else _cell(row, at) for at in places))


def _cell(row: tuple[Any, ...], at: int) -> str:
    return _text(row[at]) if at < len(row) else ""


def _text(value: Any) -> str:
    """Return a cell as text: dates as ISO writes them, whole numbers without a fraction."""
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        return value.date().isoformat()
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
