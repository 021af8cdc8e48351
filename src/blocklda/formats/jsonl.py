"""JSON lines: one record a line, the text in one of its fields.

A record without the field, or with null there, is a document without words; blank lines are none.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from blocklda.data.corpus import Corpus
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import is_named
from blocklda.formats.streams.text_stream import checked_encoding, text_lines, without_surrogates
from blocklda.formats.words.records import (
    RECORD_OPTIONS,
    Columns,
    Document,
    choose_columns,
    count_documents,
    not_only_numbers,
)
from blocklda.support.errors import FileFormatError

__all__ = ["OPTIONS", "documents", "read", "recognises"]

OPTIONS = RECORD_OPTIONS | {"encoding"}

_EXAMPLE = '{"text": "…"}'

_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a record",
    str: "a text",
}


def recognises(path: Path) -> bool:
    """Return True if a file is called .jsonl or .ndjson."""
    return is_named(path.name, ".jsonl", ".ndjson")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the records and count the words of their texts."""
    return count_documents(path, documents(path, options), options)


def documents(path: Path, options: ReadOptions) -> Generator[Document]:
    """Yield the documents of the records."""
    with closing(text_lines(path, checked_encoding(options.encoding))) as lines:
        records = _records(path, lines)
        first = next(records, None)
        if first is None:
            raise FileFormatError(
                f"{path}, line 1: the file has no records; each line holds one, such as {_EXAMPLE}."
            )
        columns = _columns(path, first, options)
        found = _documents(path, first, records, columns, options)
        yield from not_only_numbers(path, found, columns.text)


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
                f"{path}, line {number}: {line.strip():.40} is not a record; each line holds one, "
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


def _columns(path: Path, first: _Record, options: ReadOptions) -> Columns:
    """Return the fields that are named; for the text, if it is not, what the first record suggests.

    A named field that the first record does not have may come later.
    """
    named = (
        options.text_column,
        options.id_column,
        options.group_column,
        options.tokens_column,
    )
    later = dict.fromkeys(name for name in named if name is not None and name not in first.fields)
    return choose_columns(f"{path}, line {first.line}", [*first.fields, *later], options)


def _documents(
    path: Path, first: _Record, rest: Iterator[_Record], columns: Columns, options: ReadOptions
) -> Iterator[Document]:
    """Yield what the fields of each record hold; refuse a field that no record has."""
    text, name, group = columns
    words = _tokens if options.tokens_column is not None else _text
    unseen = {column for column in columns if column is not None}
    for line, fields in chain([first], rest):
        if unseen:
            unseen -= fields.keys()
        yield Document(
            None if text is None else words(path, line, text, fields.get(text)),
            None if name is None else _name(path, line, name, fields.get(name)),
            None if group is None else _group(path, line, group, fields.get(group)),
        )
    if unseen:
        choose_columns(str(path), [*first.fields], options)


def _text(path: Path, line: int, column: str, value: Any) -> str:
    if isinstance(value, str):
        return without_surrogates(value)
    if value is None:
        return ""
    raise FileFormatError.of(
        "{path}, line {line}: {column!r:.80} is {shown}, not a text; [name the field of the texts "
        "with {text_column=}, or of lists of words with {tokens_column=}]."
    ).where(path=path, line=line, column=column, shown=_shown(value))


def _tokens(path: Path, line: int, column: str, value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return [without_surrogates(word) for word in value]
    raise FileFormatError.of(
        "{path}, line {line}: {column!r:.80} is {shown}, not a list of words; [name the field of "
        "the lists with {tokens_column=}]."
    ).where(path=path, line=line, column=column, shown=_shown(value))


def _name(path: Path, line: int, column: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise FileFormatError.of(
        "{path}, line {line}: {column!r:.80} is {shown}, not a name; [name a field of texts or "
        "whole numbers with {id_column=}]."
    ).where(path=path, line=line, column=column, shown=_shown(value))


def _group(path: Path, line: int, column: str, value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124  # as NaN alone does
        return ""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, int | float):
        return json.dumps(value)  # as the file has it, true and false too
    raise FileFormatError.of(
        "{path}, line {line}: {column!r:.80} is {shown}, and documents cannot be grouped by it; "
        "[name a field of texts, numbers or dates with {group_column=}]."
    ).where(path=path, line=line, column=column, shown=_shown(value))


def _shown(value: Any) -> str:
    return f"{_KINDS[type(value)]} ({json.dumps(value):.40})"
