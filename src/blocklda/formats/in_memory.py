"""Texts that are in memory already: lists, Series, anything that yields strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from blocklda.data.corpus import Corpus
from blocklda.data.matrix_entries import row_names
from blocklda.data.text_settings import TextSettings
from blocklda.formats.options import ReadOptions
from blocklda.formats.words.counting import count_texts
from blocklda.support.errors import InputTypeError

__all__ = ["corpus_from_texts"]


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
    return count_texts(
        _strings(texts),
        options.text,
        vocabulary=options.vocabulary,
        doc_names=row_names(texts) if doc_names is None else doc_names,
        warn_of_unknown=options.warn_of_unknown,
    )


def _strings(texts: Iterable[Any]) -> Iterator[str]:
    """Yield the texts; missing ones are empty, and nothing else is made a string."""
    for row, text in enumerate(texts):
        if isinstance(text, str):
            yield text
        elif text is None or text != text:  # noqa: PLR0124  # as NaN alone does
            yield ""
        else:
            raise InputTypeError(
                f"text (row) {row} is {text!r:.40}, a {type(text).__name__}; texts must be "
                "strings: convert it with str(), or leave it out."
            )
