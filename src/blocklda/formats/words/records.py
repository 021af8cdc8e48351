"""Documents, and how records become such: which field is the text, which the name or the group."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from blocklda.data.corpus import Corpus
from blocklda.formats.options import ReadOptions
from blocklda.formats.words.counting import count_file_texts
from blocklda.support.errors import DataWarning, FileFormatError, InputError
from blocklda.support.messages import Allowed, Message, Setting

__all__ = [
    "RECORD_OPTIONS",
    "Columns",
    "Document",
    "choose_columns",
    "count_documents",
    "not_only_numbers",
]

RECORD_OPTIONS = frozenset({"text", "text_column", "id_column", "group_column", "tokens_column"})
"""What every format of records looks at; those of plain text look at the encoding too."""

_USUAL_TEXT_COLUMN = "text"

_NUMBER = re.compile(r"[-+]?[.,]?\d[\d.,]*(?:e[-+]?\d+)?%?|nan", re.IGNORECASE)

# As many names as a message of one sentence can bear.
_SHOWN_COLUMNS = 20
_LONG_NAME = 80


class Columns(NamedTuple):
    """The names of the columns to read; None for what is not read."""

    text: str | None
    id: str | None
    group: str | None


class Document(NamedTuple):
    """A text or list of words, its name and its group; each None for all documents or for none.

    Where a single one is missing in the file, it is empty.
    """

    text: str | list[str] | None
    name: str | None = None
    group: str | None = None


def choose_columns(place: str, columns: Sequence[str], options: ReadOptions) -> Columns:
    """Choose the columns to read among those there are; `place` is the file, or a line of it.

    If nothing is said, texts are in the only column beside the names, or in one called "text". A
    table that is read for its groups may have no texts.
    """
    for option in ("text_column", "id_column", "group_column", "tokens_column"):
        _require_column(place, columns, option, getattr(options, option))
    if options.tokens_column is not None and options.text_column is not None:
        raise InputError.of(
            "{tokens_column=} and {text_column=} exclude each other: [give one of them]."
        ).where(tokens_column=options.tokens_column, text_column=options.text_column)
    text = options.tokens_column or options.text_column or _likely_text_column(columns, options)
    if text is not None:
        _require_same_column(place, text, options)
    if text is not None or options.group_column is not None:
        return Columns(text, options.id_column, options.group_column)
    raise InputError.of(
        "{place}: it is not clear which column holds the texts: [name it with {one_of}]."
    ).where(place=place, one_of=_one_of("text_column", columns), parameter="text_column")


def _require_same_column(place: str, text: str, options: ReadOptions) -> None:
    """Refuse texts in another column than those of the files before, if no column was named."""
    others = ((file, column) for file, column in options.text_columns.items() if column != text)
    file, column = next(others, (None, ""))
    if file is not None:
        raise InputError.of(
            "{place}: the texts seem to be in the column {text!r:.80}, but in {file} in "
            "{column!r:.80}; [give all files the same columns, or name one that all of them have "
            "with {text_column=}]."
        ).where(place=place, text=text, file=file, column=column, parameter="text_column")
    options.text_columns[place] = text


def _likely_text_column(columns: Sequence[str], options: ReadOptions) -> str | None:
    others = [name for name in columns if name != options.id_column]
    if len(others) == 1 and others[0] != options.group_column:
        return others[0]
    return _USUAL_TEXT_COLUMN if others.count(_USUAL_TEXT_COLUMN) == 1 else None


def _require_column(place: str, columns: Sequence[str], option: str, name: str | None) -> None:
    if name is None:
        return
    if name not in columns:
        no_names = Message("")
        if any(len(column) > _LONG_NAME for column in columns):
            no_names = Message.of(
                "; if the first row is a document, not the names of the columns, give "
                "{has_header=False}, and columns by number"
            ).where()
        raise InputError.of(
            "{place}: there is no column {name!r:.80}; [name another with {one_of}{no_names}]."
        ).where(
            place=place,
            name=name,
            one_of=_one_of(option, columns),
            no_names=no_names,
            parameter=option,
            value=name,
        )
    if columns.count(name) > 1:
        raise FileFormatError(
            f"{place}: {columns.count(name)} columns are called {name!r:.80}; rename all but one."
        )


def _one_of(option: str, columns: Sequence[str]) -> Message:
    return Message.of("{option}, one of: {allowed}").where(
        option=Setting(option), allowed=Allowed(_listed(columns), choices=columns)
    )


def _listed(columns: Sequence[str]) -> str:
    """Return the names of columns, fit to be printed."""
    shown = ", ".join(_shown(name) for name in columns[:_SHOWN_COLUMNS])
    more = len(columns) - _SHOWN_COLUMNS
    return f"{shown} and {more} more" if more > 0 else shown


def _shown(name: str) -> str:
    return repr(name if len(name) <= _LONG_NAME else f"{name[:_LONG_NAME]}…")


def count_documents(
    path: Path | str, documents: Generator[Document], options: ReadOptions
) -> Corpus:
    """Count the words of documents, which are taken one at a time."""
    with closing(documents):
        first = next(documents, None)
        names: list[str] | None = None if first is None or first.name is None else []
        found = documents if first is None else chain([first], documents)
        corpus = count_file_texts(path, _texts(found, names), options, names)
    if options.id_column is not None:
        _warn_of_repeated_names(path, corpus.doc_names or (), options.id_column)
    return corpus


def _texts(documents: Iterable[Document], names: list[str] | None) -> Iterator[str | list[str]]:
    """Yield the texts and keep the names."""
    for text, name, _ in documents:
        if names is not None:
            names.append(name or "")
        yield text or ""


def _warn_of_repeated_names(path: Path | str, names: tuple[str, ...], id_column: str) -> None:
    """Warn that names are not unique: a join by them would repeat rows."""
    if len(set(names)) == len(names):
        return
    name, times = Counter(names).most_common(1)[0]
    warnings.warn(
        DataWarning(
            f"{path}: the column {id_column!r:.80} gives {len(names)} documents {len(set(names))} "
            f"different names ({name!r:.40} {times} times): name a column without repetitions if "
            "you want to join results by name.",
            parameter="id_column",
            value=id_column,
        ),
        stacklevel=5,
    )


def not_only_numbers(
    path: Path, documents: Iterable[Document], column: str | None
) -> Iterator[Document]:
    """Yield the documents; refuse a column of texts that turns out to hold numbers only."""
    number: str | None = None
    all_numbers = True
    for document in documents:
        text = document.text
        if isinstance(text, list):
            all_numbers = False
        elif all_numbers and text and not text.isspace():
            all_numbers = _NUMBER.fullmatch(text.strip()) is not None
            number = text.strip()
        yield document
    if all_numbers and number is not None:
        raise InputError.of(
            "{path}: the column {column!r:.80} holds only numbers (for example {number:.40}): "
            "[name the column of the texts with {text_column=}]."
        ).where(path=path, column=column, number=number, parameter="text_column", value=column)
