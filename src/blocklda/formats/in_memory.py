"""Texts that are in memory already: lists, Series, anything that yields strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from blocklda.data.corpus import Corpus
from blocklda.data.doc_index import index_of
from blocklda.data.matrix_entries import row_names
from blocklda.data.text_settings import TextSettings
from blocklda.data.text_values import as_values, has_arrow, is_column, is_missing
from blocklda.formats.options import ReadOptions
from blocklda.formats.words.counting import count_texts
from blocklda.support.errors import InputTypeError, not_allowed
from blocklda.support.extras import import_extra
from blocklda.support.messages import Allowed, Given, Setting

__all__ = ["chosen_column", "corpus_from_texts", "corpus_from_tokens"]


def corpus_from_texts(
    texts: Iterable[Any],
    doc_names: Iterable[str] | None,
    vocabulary: Iterable[str] | None,
    like: Corpus | None,
    text_settings: Mapping[str, Any],
) -> Corpus:
    """Count the words of texts, over those of another corpus if one is given."""
    if not is_column(texts):
        raise InputTypeError(
            f"texts is a {type(texts).__name__}; it must be a list of strings, one for each "
            "document: put a single text in a list, and use read_corpus for a file."
        )
    if isinstance(texts, Mapping):
        raise InputTypeError(
            f"texts is a {type(texts).__name__}, whose keys would be counted: give "
            "list(texts.values()), and doc_names=list(texts) if the keys are names."
        )
    if isinstance(text_settings.get("tokenizer"), str):
        # A name alone is what a saved model has of its function.
        raise not_allowed(
            "tokenizer", text_settings["tokenizer"], "a function from a text to its words"
        )
    text = TextSettings.from_dict(text_settings) if text_settings else None
    options = ReadOptions(vocabulary=vocabulary, text=text)
    if like is not None:
        options = options.as_like(like, "Corpus.from_texts")
    return _counted(_strings(as_values(texts)), texts, doc_names, options)


def corpus_from_tokens(
    documents: Iterable[Any],
    doc_names: Iterable[str] | None,
    vocabulary: Iterable[str] | None,
    like: Corpus | None,
    text_settings: Mapping[str, Any],
) -> Corpus:
    """Count words that are in lists already, over those of another corpus if one is given."""
    if not is_column(documents):
        raise InputTypeError(
            f"documents is a {type(documents).__name__}; it must be a list of lists of words, one "
            "for each document: use Corpus.from_texts for texts, and read_corpus for a file."
        )
    options = ReadOptions(vocabulary=vocabulary, text=TextSettings.of_tokens(text_settings))
    if like is not None:
        options = options.as_like(like, "Corpus.from_tokens")
    return _counted(_token_lists(as_values(documents)), documents, doc_names, options)


def _counted(
    values: Iterable[Any], given: Any, doc_names: Iterable[str] | None, options: ReadOptions
) -> Corpus:
    """Count documents; those without names have the index they were given with."""
    index = index_of(given) if doc_names is None else None
    if doc_names is None:
        doc_names = row_names(given) if index is None else index.labels
    return count_texts(
        values,
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
    if isinstance(columns, Mapping):
        raise InputTypeError(
            f"a {type(data).__name__} holds several data sets: choose one, such as "
            f"data[{next(iter(columns), 'train')!r:.40}]."
        )
    if columns is None:
        return data if name is None else _unnamed_column(data, option, name)
    known = [str(column) for column in columns]
    if name is None or name not in known:
        wanted = "" if name is None else f" and no column {name!r:.80}"
        raise InputTypeError.of(
            "a {kind} was given{wanted}: [name the column to count with {option}, one of: "
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


def _unnamed_column(data: Any, option: str, name: str) -> Any:
    """Return a column of data that do not say which they have: Arrow's stream, or records."""
    if has_arrow(data):
        pyarrow = import_extra("pyarrow", "parquet", "reading Arrow data")
        return chosen_column(pyarrow.table(data), option, name)
    records = iter(data) if isinstance(data, Iterable) else iter(())
    first = next(records, None)
    if isinstance(first, Mapping):
        chosen_column(_Record(first), option, name)  # it must be there
        return (record.get(name) for record in chain([first], records))
    raise InputTypeError.of(
        "{given} names a column, but a {kind} has no columns: [leave it out, or give a data frame]."
    ).where(given=Given(option, name), kind=type(data).__name__)


class _Record(dict[str, Any]):
    """The first of several records, whose keys are the columns."""

    @property
    def column_names(self) -> list[str]:
        return [str(key) for key in self]


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


def _token_lists(documents: Iterable[Any]) -> Iterator[list[str]]:
    """Yield the lists of words; missing ones are empty."""
    for row, document in enumerate(documents):
        if isinstance(document, str | bytes):
            raise InputTypeError(
                f"document (row) {row} is the text {document!r:.40}, not a list of words: count "
                "texts with Corpus.from_texts, or split it into words."
            )
        if not isinstance(document, Iterable):
            if not is_missing(document):
                raise InputTypeError(
                    f"document (row) {row} is {document!r:.40}, a {type(document).__name__}; it "
                    "must be a list of words."
                )
            yield []
            continue
        words = list(document)
        for word in words:
            if not isinstance(word, str):
                raise InputTypeError(
                    f"document (row) {row} has {word!r:.40}, a {type(word).__name__}, among its "
                    "words; words must be strings: convert it with str()."
                )
        yield words
