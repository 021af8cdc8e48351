"""Tables of text: .csv and .tsv, the first row with the names of the columns.

Fields may stand in double quotes, with delimiters and line breaks within. Blank lines are no rows;
an empty text is a document without words.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from blocklda.data.corpus import Corpus
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import is_named
from blocklda.formats.streams.text_stream import checked_encoding, require_room, text_lines
from blocklda.formats.words.records import (
    RECORD_OPTIONS,
    Columns,
    Document,
    choose_columns,
    count_documents,
    not_only_numbers,
)
from blocklda.support.errors import FileFormatError, not_allowed
from blocklda.support.messages import Message

__all__ = ["OPTIONS", "documents", "read", "recognises"]

OPTIONS = RECORD_OPTIONS | {"encoding", "delimiter", "quote", "has_header"}

_TAB_SUFFIXES = (".tsv", ".tab")
_DELIMITERS = (",", ";", "\t")
_NAMED = {"tab": "\t", "\\t": "\t", "space": " "}
_ASK_EVERY = 2**20
"""Characters of a row after which the memory is looked at again."""

_QUOTED = re.compile(r'"[^"]*"?')

# The csv module refuses fields of more than 128 KiB unless told otherwise, and can be told for all
# its users only; this is the most that every platform takes.
_MAX_FIELD = 2**31 - 1
_field_limit_lock = Lock()


def recognises(path: Path) -> bool:
    """Return True if a file is called .csv, .tsv or .tab."""
    return is_named(path.name, ".csv", *_TAB_SUFFIXES)


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the rows and count the words of their texts."""
    return count_documents(path, documents(path, options), options)


def documents(path: Path, options: ReadOptions) -> Generator[Document]:
    """Yield the documents of the rows."""
    with closing(text_lines(path, checked_encoding(options.encoding))) as lines:
        rows = _rows(path, lines, _checked_dialect(options))
        header = next(rows, None)
        if header is None:
            raise FileFormatError(
                f"{path}, line 1: the file is empty; the first row holds the names of the columns."
            )
        if options.has_header is False:
            rows = chain([header], rows)
            header = _Row(header.line, [str(i + 1) for i in range(len(header.fields))])
        columns = choose_columns(f"{path}, line {header.line}", header.fields, options)
        found = _documents(path, header.fields, rows, columns)
        yield from not_only_numbers(path, found, columns.text)


class _Row(NamedTuple):
    """The fields of a row, and the line it begins on."""

    line: int
    fields: list[str]


def _checked_dialect(options: ReadOptions) -> dict[str, Any]:
    """Return what the user said of delimiters and quotes, as the csv module takes it."""
    dialect: dict[str, Any] = {"strict": True}
    if options.delimiter is not None:
        dialect["delimiter"] = _NAMED.get(options.delimiter, options.delimiter)
        if not _is_sign(dialect["delimiter"]):
            raise not_allowed("delimiter", options.delimiter, 'one character, or "tab"')
    if options.quote == "none":
        dialect |= {"quoting": csv.QUOTE_NONE, "strict": False}
    elif options.quote is not None:
        dialect["quotechar"] = options.quote
        if not _is_sign(options.quote) or options.quote == dialect.get("delimiter"):
            raise not_allowed("quote", options.quote, 'one character, or "none"')
    return dialect


def _is_sign(text: Any) -> bool:
    return isinstance(text, str) and len(text) == 1 and text not in "\r\n"


def _rows(path: Path, lines: Iterator[str], dialect: dict[str, Any]) -> Iterator[_Row]:
    first = next(lines, "")
    text = _RowText(path, chain([first], lines))
    delimiter = dialect.get("delimiter") or _delimiter(path, first)
    reader = csv.reader(text, **{**dialect, "delimiter": delimiter})
    while True:
        text.begin_row()
        line = reader.line_num + 1
        try:
            fields = _next_fields(reader)
        except csv.Error as error:
            raise _broken(path, line, text, delimiter) from error
        if fields is None:
            return
        if fields:
            yield _Row(line, fields)


class _RowText:
    """The lines of a row; a quote that is never closed must not take the rest of a large file."""

    def __init__(self, path: Path, lines: Iterator[str]) -> None:
        self._path = path
        self._lines = lines
        self.has_ended = False
        self.begin_row()

    def begin_row(self) -> None:
        self.of_row: list[str] = []
        self._n_characters = self._n_asked = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.of_row.append(line)
            self._n_characters += len(line)
            if self._n_characters - self._n_asked > _ASK_EVERY:
                # The csv module keeps a field in four bytes a character, and twice while it grows.
                require_room(self._path, self._n_characters, 10)
                self._n_asked = self._n_characters
            yield f"{line}\n"
        self.has_ended = True


def _next_fields(reader: Iterator[list[str]]) -> list[str] | None:
    """Return the fields of the next row, however long they are; None at the end."""
    with _field_limit_lock:
        limit = csv.field_size_limit(_MAX_FIELD)
        try:
            return next(reader, None)
        finally:
            csv.field_size_limit(limit)


def _delimiter(path: Path, header: str) -> str:
    """Return what the name of the file says, else what the header has most of, else a comma."""
    if is_named(path.name, *_TAB_SUFFIXES):
        return "\t"
    return max(_DELIMITERS, key=_QUOTED.sub("", header).count)


def _broken(path: Path, line: int, text: _RowText, delimiter: str) -> FileFormatError:
    """Return the error for a row that the csv module refuses."""
    if text.has_ended:
        found = "a double quote is opened here and never closed"
        remedy = "close it, or write a quote within a field twice"
    elif _is_row(text.of_row, delimiter, without="\r"):
        found = "there is a carriage return outside quotes"
        remedy = "save the file with the usual line ends"
    else:
        found = "a field continues after its closing double quote"
        remedy = 'write a quote within a field twice: "a ""b"" c"'
    return FileFormatError.of("{path}, line {line}: {found}; [{remedy}].").where(
        path=path, line=line, found=found, remedy=remedy
    )


def _of_another_length(path: Path, line: int, n_fields: int, n_names: int) -> FileFormatError:
    """Return the error for a row with more or fewer fields than the first."""
    other = Message("correct the row")
    if n_names == 1:
        other = Message.of("name the character between columns with {delimiter=}")
    return FileFormatError.of(
        "{path}, line {line}: the row has {n_fields} fields, but the first row has {n_names}; "
        "[put texts with delimiters in double quotes, or {other}]."
    ).where(
        path=path,
        line=line,
        n_fields=n_fields,
        n_names=n_names,
        other=other,
    )


def _is_row(lines: list[str], delimiter: str, without: str) -> bool:
    """Return True if lines could be read as a row if one character were not in them."""
    changed = (f"{line.replace(without, '')}\n" for line in lines)
    try:
        _next_fields(csv.reader(changed, delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return True


def _documents(
    path: Path, header: list[str], rows: Iterator[_Row], columns: Columns
) -> Iterator[Document]:
    n_fields = len(header)
    text, name, group = (None if column is None else header.index(column) for column in columns)
    for line, fields in rows:
        if len(fields) != n_fields:
            raise _of_another_length(path, line, len(fields), n_fields)
        yield Document(
            None if text is None else fields[text],
            None if name is None else fields[name],
            None if group is None else fields[group],
        )
