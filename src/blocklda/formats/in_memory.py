"""Texts that are in memory already: lists, Series, anything that yields strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from blocklda.data.corpus import Corpus
from blocklda.data.doc_index import index_of
from blocklda.data.matrix_entries import row_names
from blocklda.data.text_settings import TextSettings
from blocklda.data.text_values import as_values, is_missing
from blocklda.formats.options import ReadOptions
from blocklda.formats.words.counting import count_texts
from blocklda.support.errors import InputTypeError
from blocklda.support.messages import Allowed, Given, Setting

__all__ = ["chosen_column", "corpus_from_texts"]


def corpus_from_texts(
    texts: Iterable[Any],
    doc_names: Iterable[str] | None,
    vocabulary: Iterable[str] | None,
    like: Corpus | None,
    text_settings: Mapping[str, Any],
) -> Corpus:
    """Count the words of texts, over those of another corpus if one is given."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise InputTypeError(
            f"texts is a {type(texts).__name__}; it must be a list of strings, one for each "
            "document: put a single text in a list, and use read_corpus for a file."
        )
    options = ReadOptions(
        vocabulary=vocabulary,
        text=TextSettings.from_dict(text_settings) if text_settings else None,
    )
    if like is not None:
        options = options.as_like(like, "Corpus.from_texts")
    index = index_of(texts) if doc_names is None else None
    if doc_names is None:
        doc_names = row_names(texts) if index is None else index.labels
    return count_texts(
        _strings(as_values(texts)),
        options.text,
        vocabulary=options.vocabulary,
        doc_names=doc_names,
        doc_index=index,
        warn_of_unknown=options.warn_of_unknown,
    )


def chosen_column(data: Any, option: str, name: str | None) -> Any:
    """Return a column of a data frame; data without columns are returned as they are.

    ``option`` is the parameter that names the column.
    """
    # The first is that of Arrow and of Hugging Face's datasets.
    columns = getattr(data, "column_names", getattr(data, "columns", None))
    if columns is None:
        if name is None:
            return data
        raise InputTypeError.of(
            "{given} names a column, and a {kind} has none: [leave it out, or give a data frame]."
        ).where(given=Given(option, name), kind=type(data).__name__)
    known = [str(column) for column in columns]
    if name is None or name not in known:
        wanted = "" if name is None else f" and no column {name!r:.80}"
        raise InputTypeError.of(
            "a {kind} was given{wanted}: [name the column of the texts with {option}, one of: "
            "{allowed}]."
        ).where(
            kind=type(data).__name__,
            wanted=wanted,
            option=Setting(option),
            allowed=Allowed(", ".join(map(repr, known[:20])), choices=known),
            parameter=option,
            value=name,
        )
    return data[name]


def _strings(texts: Iterable[Any]) -> Iterator[str]:
    """Yield the texts; missing ones are empty, and nothing else is made a string."""
    for row, text in enumerate(texts):
        if isinstance(text, str):
            yield text
        elif is_missing(text):
            yield ""
        else:
            raise InputTypeError(
                f"text (row) {row} is {text!r:.40}, a {type(text).__name__}; texts must be "
                "strings: convert it with str(), or leave it out."
            )
