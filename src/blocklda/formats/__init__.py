"""Corpora in files: one module per format, one line each to register it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from blocklda.corpus import Corpus
from blocklda.errors import FileFormatError, InputError
from blocklda.formats import (
    delimited,
    gensim,
    h5ad,
    jsonl,
    ldac,
    lines,
    mallet,
    mallet_state,
    matrix_market,
    npz,
    parquet,
    svmlight,
    text_folder,
    uci,
)
from blocklda.formats.like import told_like
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import open_file
from blocklda.formats.words.gensim_dictionary import is_dictionary, read_dictionary
from blocklda.formats.words.vocabulary import read_vocabulary as read_word_list
from blocklda.text_settings import TextSettings
from blocklda.word_columns import over_vocabulary

__all__ = [
    "FORMATS",
    "WRITABLE",
    "Format",
    "Writer",
    "find_writer",
    "read_corpus",
    "read_vocabulary",
    "write_corpus",
]


class Format(Protocol):
    """What a format's module offers."""

    OPTIONS: frozenset[str]
    """Which of the :class:`ReadOptions`, beside the vocabulary, ``read`` looks at."""

    def recognises(self, path: Path, /) -> bool:
        """Whether a file of this name, which may be looked at, is usually in this format."""

    def read(self, path: Path, options: ReadOptions, /) -> Corpus:
        """Read a file; without a vocabulary, look for one where this format keeps it."""


@runtime_checkable
class Writer(Protocol):
    """What the module of a format offers that can be written too."""

    def write(self, corpus: Corpus, path: Path, /) -> None:
        """Write a corpus aside and give the file its name at the end."""


FORMATS: Mapping[str, Format] = {
    "mallet-state": mallet_state,
    "uci": uci,
    "ldac": ldac,
    "svmlight": svmlight,
    "matrix-market": matrix_market,
    "npz": npz,
    "h5ad": h5ad,
    "gensim": gensim,
    "mallet": mallet,
    "texts": text_folder,
    "csv": delimited,
    "jsonl": jsonl,
    "parquet": parquet,
    "lines": lines,
}
"""The formats by name; where a name or a look at the file fits several, the first one is taken."""

WRITABLE = tuple(sorted(name for name, module in FORMATS.items() if isinstance(module, Writer)))
"""The names of those that can be written too."""


def read_corpus(
    path: str | os.PathLike[str],
    format: str = "auto",  # noqa: A002  # the word users look for
    vocabulary: str | os.PathLike[str] | Iterable[str] | None = None,
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    encoding: str | None = None,
    like: Corpus | None = None,
    **text_settings: Any,
) -> Corpus:
    """Read a corpus from a file, or from a folder of texts.

    Parameters
    ----------
    path
        The file or the folder; gzip data are unpacked.
    format
        A name in `FORMATS`, or "auto" to choose by the file's name.
    vocabulary
        The words, or the path of a file with one word per line or of a gensim dictionary in text.
        Without it a vocabulary is taken from where the format keeps it, if it is there. Where
        texts are read, no other words are counted.
    text_column, id_column
        The columns of a table that hold the texts and the names of the documents.
    encoding
        The encoding of a text file; UTF-8 if nothing is said.
    like
        A corpus whose words are to be counted, in its order and as its texts were. Words that it
        does not have are left out, with a warning.
    **text_settings
        How texts become words: `stop_words`, `min_df`, `max_df`, `ngrams`, `max_words`,
        `lowercase` and `token_pattern` of :class:`~blocklda.text_settings.TextSettings`.
    """
    file = _path(path)
    name, reader = _reader(file, format)
    if isinstance(vocabulary, str | os.PathLike):
        vocabulary = read_vocabulary(_path(vocabulary))
    options = ReadOptions(
        vocabulary=vocabulary,
        text=TextSettings.from_dict(text_settings) if text_settings else None,
        text_column=text_column,
        id_column=id_column,
        encoding=encoding,
    )
    if like is None:
        _require_used(name, reader, options)
        return reader.read(file, options)
    return _read_like(like, name, reader, file, options)


def _read_like(like: Corpus, name: str, reader: Format, file: Path, options: ReadOptions) -> Corpus:
    """Read documents over the words of another corpus."""
    if "text" not in reader.OPTIONS:
        _require_used(name, reader, options)
        return over_vocabulary(reader.read(file, options), like)
    options = told_like(options, like, str(file))
    _require_used(name, reader, options)
    return reader.read(file, options)


def write_corpus(
    corpus: Corpus,
    path: str | os.PathLike[str],
    format: str = "auto",  # noqa: A002  # the word users look for
) -> None:
    """Write a corpus to a file, in a format by name or by the file's name."""
    file = _path(path)
    find_writer(file, format).write(Corpus.from_matrix(corpus), file)


def find_writer(path: Path, name: str = "auto") -> Writer:
    """Return what writes a file in a format, by name or by the file's name."""
    found, writer = _by_name(name, WRITABLE) or _by_file_name(path, WRITABLE)
    if not isinstance(writer, Writer):
        raise InputError(
            f"{path}: {found} files can be read, not written; name another format with format=, "
            f"one of: {', '.join(WRITABLE)}."
        )
    return writer


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """Read words from a list, one per line, or from a gensim dictionary in text."""
    return read_dictionary(path) if is_dictionary(path) else read_word_list(path)


def _path(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path)
    except TypeError as error:
        raise InputError(
            f"a file name is needed, not a {type(path).__name__}; for data in memory use "
            "Corpus.from_texts or, for counts, Corpus.from_matrix."
        ) from error


def _reader(path: Path, name: str) -> tuple[str, Format]:
    known = sorted(FORMATS)
    chosen = _by_name(name, known)
    if chosen is not None:
        return chosen
    if not os.path.isdir(path):  # unlike the method of a path, it takes names that none can have
        open_file(path).close()  # a missing file is the first thing to tell
    return _by_file_name(path, known)


def _by_name(name: str, allowed: Iterable[str]) -> tuple[str, Format] | None:
    """Return the format that is named, None for "auto"."""
    if name == "auto":
        return None
    if not isinstance(name, str) or name not in FORMATS:
        raise InputError(
            f"there is no format {name!r:.80}; use one of: auto, {', '.join(allowed)}."
        )
    return name, FORMATS[name]


def _by_file_name(path: Path, allowed: Iterable[str]) -> tuple[str, Format]:
    for name, reader in FORMATS.items():
        if reader.recognises(path):
            return name, reader
    raise FileFormatError(
        f"{path}: the name does not tell the format of the file; name it with format=, one of: "
        f"{', '.join(allowed)}."
    )


def _require_used(name: str, reader: Format, options: ReadOptions) -> None:
    """Refuse what this format would ignore."""
    unused = [option for option in options.given() if option not in reader.OPTIONS]
    if not unused:
        return
    if unused[0] == "text":
        raise InputError(
            f"{name} files hold counts, not texts, so there are no words to choose: leave out the "
            "text settings, or name another format with format=."
        )
    raise InputError(
        f"{unused[0]}={getattr(options, unused[0])!r:.80} has no meaning for {name} files: leave "
        "it out, or name another format with format=."
    )
