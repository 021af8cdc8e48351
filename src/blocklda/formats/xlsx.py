"""Workbooks of Excel: the first sheet is a table, its first row the names of the columns.

They are read by openpyxl, a row at a time. A cell that is empty is an empty text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

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
from blocklda.support.errors import FileFormatError
from blocklda.support.extras import import_extra

__all__ = ["OPTIONS", "documents", "read", "recognises"]

OPTIONS = RECORD_OPTIONS


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
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            rows = book.worksheets[0].iter_rows(values_only=True)
            header = next(rows, None)
        except Exception as error:  # a damaged archive may raise anything
            reason = " ".join(str(error).split())
            raise FileFormatError(
                f"{path}: this cannot be read as a workbook ({reason:.200}); save it again as "
                ".xlsx, or as .csv."
            ) from error
        if header is None or not any(name is not None for name in header):
            raise FileFormatError(
                f"{path}: the first sheet is empty; its first row holds the names of the columns."
            )
        names = [_text(name) for name in header]
        columns = choose_columns(str(path), names, options)
        found = _documents(rows, names, columns)
        yield from not_only_numbers(path, found, columns.text)
        book.close()


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
