"""JSON lines: one record a line, the text in one of its fields.

A record without the field, or with null there, is a document without words; blank lines are none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from blocklda.corpus import Corpus
from blocklda.errors import FileFormatError
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.file_names import is_named
from blocklda.formats.streams.text_stream import checked_encoding, text_lines, without_surrogates
from blocklda.formats.words.records import (
    RECORD_OPTIONS,
    Document,
    choose_columns,
    count_documents,
)

__all__ = ["OPTIONS", "read", "recognises"]

OPTIONS = RECORD_OPTIONS | {"encoding"}

_EXAMPLE = '{"text": "…"}'

_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a record",
}


def recognises(path: Path) -> bool:
    """Whether a file is called .jsonl or .ndjson."""
    return is_named(path.name, ".jsonl", ".ndjson")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the records and count the words of their texts."""
    with closing(text_lines(path, checked_encoding(options.encoding))) as lines:
        records = _records(path, lines)
        first = next(records, None)
        if first is None:
            raise FileFormatError(
                f"{path}, line 1: the file has no records; each line holds one, such as {_EXAMPLE}."
            )
        column = _text_column(path, first, options)
        documents = _documents(path, first, records, replace(options, text_column=column))
        return count_documents(path, documents, column, options)


class _Record(NamedTuple):
    line: int
    fields: dict[str, Any]


def _records(path: Path, lines: Iterable[str]) -> Iterator[_Record]:
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _broken(path, number, error) from error
        if not isinstance(fields, dict):
            raise FileFormatError(
                f"{path}, line {number}: {line.strip():.40} is no record; each line holds one, "
                f"such as {_EXAMPLE}."
            )
        yield _Record(number, fields)


def _broken(path: Path, line: int, error: Exception) -> FileFormatError:
    if isinstance(error, json.JSONDecodeError):
        where, why = f"line {line}, column {error.colno}", error.msg
    else:
        where, why = f"line {line}", str(error)
    return FileFormatError(
        f"{path}, {where}: this is not JSON ({why}); each line holds a whole record, such as "
        f"{_EXAMPLE}."
    )


def _text_column(path: Path, first: _Record, options: ReadOptions) -> str:
    """Return the field that is named, or that the first record suggests."""
    if options.text_column is not None:
        return options.text_column
    place = f"{path}, line {first.line}"
    return choose_columns(place, [*first.fields], replace(options, id_column=None)).text


def _documents(
    path: Path, first: _Record, rest: Iterator[_Record], options: ReadOptions
) -> Iterator[Document]:
    """Yield text and name of each record; refuse a field that no record has."""
    text_column, id_column = str(options.text_column), options.id_column
    unseen = {text_column} | (set() if id_column is None else {id_column})
    for line, fields in chain([first], rest):
        if unseen:
            unseen -= fields.keys()
        text = fields.get(text_column)
        if not isinstance(text, str):
            text = _other_text(path, line, text_column, text)
        name = None if id_column is None else _name(path, line, id_column, fields.get(id_column))
        yield Document(without_surrogates(text), name)
    if unseen:
        choose_columns(str(path), [*first.fields], options)


def _other_text(path: Path, line: int, column: str, value: Any) -> str:
    if value is None:
        return ""
    raise FileFormatError(
        f"{path}, line {line}: {column!r:.80} is {_shown(value)}, not a text; name the field of "
        "the texts with text_column=."
    )


def _name(path: Path, line: int, column: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FileFormatError(
        f"{path}, line {line}: {column!r:.80} is {_shown(value)}, not a name; name a field of "
        "texts or whole numbers with id_column=."
    )


def _shown(value: Any) -> str:
    return f"{_KINDS[type(value)]} ({json.dumps(value):.40})"
