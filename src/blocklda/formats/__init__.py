"""Corpora in files: one module per format, one line each in the registry."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from blocklda.data.corpus import Corpus
from blocklda.data.text_settings import TextSettings
from blocklda.data.word_columns import over_vocabulary
from blocklda.formats.options import ReadOptions
from blocklda.formats.registry import (
    FORMATS,
    TEXT_FORMATS,
    WRITABLE,
    Format,
    TextFormat,
    Writer,
    find_writer,
    path_of,
    require_used,
)
from blocklda.formats.several import Paths, find_one_reader, name_of, paths_of, read_several
from blocklda.formats.texts import Texts, read_texts
from blocklda.formats.words.gensim_dictionary import is_dictionary, read_dictionary
from blocklda.formats.words.vocabulary import read_vocabulary as read_word_list

__all__ = [
    "FORMATS",
    "TEXT_FORMATS",
    "WRITABLE",
    "Format",
    "TextFormat",
    "Texts",
    "Writer",
    "find_writer",
    "read_corpus",
    "read_texts",
    "read_vocabulary",
    "write_corpus",
]


def read_corpus(
    path: Paths,
    format: str = "auto",  # noqa: A002  # the word users look for
    vocabulary: str | os.PathLike[str] | Iterable[str] | None = None,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    tokens_column: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    has_header: bool | None = None,
    transpose: bool | None = None,
    layer: str | None = None,
    like: Corpus | None = None,
    **text_settings: Any,
) -> Corpus:
    """Read a corpus from a file, from several, or from a folder of texts.

    Parameters
    ----------
    path
        The file or the folder; gzip data are decompressed. A list of files is read as one corpus:
        all must have the same format, with texts in the same column or counts of the same words.
    format
        A name in `FORMATS`, or "auto" to choose by the file's name.
    vocabulary
        The words, or the path of a file with one word per line or of a gensim dictionary in text.
        By default it is read from where the format stores it, if it exists. In texts, only these
        words are counted.
    text_column, id_column
        The columns of a table that hold the texts and the names of the documents.
    tokens_column
        The column that holds lists of words, instead of texts: lists in JSON lines and Parquet,
        words separated by spaces in CSV files. The words are used as they are.
    encoding
        The encoding of a text file; the default is UTF-8.
    delimiter, quote
        The delimiter of a CSV file, one character or "tab", and its quote character, one character
        or "none". By default they are detected.
    has_header
        False for a table without column names: columns are then called 1, 2, 3, ….
    transpose
        True for a matrix (Matrix Market, NPZ, AnnData) whose rows are words and whose columns are
        documents.
    layer
        The layer of an AnnData file that holds the counts, or "raw/X"; the default is X.
    like
        A corpus whose vocabulary and text settings are used. Words that it does not have are left
        out, with a warning.
    **text_settings
        How texts are split into words: `stop_words`, `min_df`, `max_df`, `ngrams`, `max_words`,
        `lowercase`, `token_pattern`, `tokenizer`, `unicode` and `phrases` of
        :class:`~blocklda.data.text_settings.TextSettings`.

    Examples
    --------
    >>> import blocklda
    >>> with open("reviews.csv", "w") as file:
    ...     for line in ("body", "soup and bread", "no sleep"):
    ...         print(line, file=file)
    >>> blocklda.read_corpus("reviews.csv", text_column="body", stop_words="none").n_docs
    2
    """
    files = paths_of(path)
    name, reader = find_one_reader(files, format)
    if isinstance(vocabulary, str | os.PathLike):
        vocabulary = read_vocabulary(path_of(vocabulary))
    options = ReadOptions(
        vocabulary=vocabulary,
        text=_given_settings(text_settings, tokens_column),
        text_column=text_column,
        id_column=id_column,
        tokens_column=tokens_column,
        encoding=encoding,
        delimiter=delimiter,
        quote=quote,
        has_header=has_header,
        transpose=transpose or None,
        layer=layer,
    )
    if like is not None and "text" in reader.OPTIONS:
        options = options.as_like(like, name_of(files))
    require_used(name, reader, options)
    corpus = read_several(files, reader, options)
    if like is not None and "text" not in reader.OPTIONS:
        return over_vocabulary(corpus, like)
    return corpus


def _given_settings(
    given: Mapping[str, Any], tokens_column: str | None = None
) -> TextSettings | None:
    if tokens_column is not None:
        return TextSettings.of_tokens(given)
    return TextSettings.from_dict(given) if given else None


def write_corpus(
    corpus: Corpus,
    path: str | os.PathLike[str],
    format: str = "auto",  # noqa: A002  # the word users look for
) -> None:
    """Write a corpus to a file, in a format by name or by the file's name.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.Corpus.from_matrix([[2, 0, 1], [0, 3, 0]])
    >>> blocklda.write_corpus(corpus, "counts.mtx")
    >>> blocklda.read_corpus("counts.mtx").n_tokens
    6
    """
    file = path_of(path)
    find_writer(file, format).write(Corpus.from_matrix(corpus), file)


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """Read words from a list, one per line, or from a gensim dictionary in text."""
    return read_dictionary(path) if is_dictionary(path) else read_word_list(path)
