"""Corpora in files: one module per format, one line each to register it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from blocklda.corpus import Corpus
from blocklda.errors import FileFormatError, InputError
from blocklda.formats import uci
from blocklda.formats.vocabulary import open_file, read_vocabulary

__all__ = ["FORMATS", "Reader", "read_corpus", "read_vocabulary"]


class Reader(Protocol):
    """What a format's module offers."""

    def recognises(self, path: Path, /) -> bool:
        """Whether a file of this name is usually in this format."""

    def read(self, path: Path, vocabulary: Iterable[str] | None, /) -> Corpus:
        """Read a file; without a vocabulary, look for one where this format keeps it."""


FORMATS: Mapping[str, Reader] = {
    "uci": uci,
}


def read_corpus(
    path: str | os.PathLike[str],
    format: str = "auto",  # noqa: A002  # the word users look for
    vocabulary: str | os.PathLike[str] | Iterable[str] | None = None,
) -> Corpus:
    """Read a corpus from a file.

    Parameters
    ----------
    path
        The file; gzip data are unpacked.
    format
        A name in `FORMATS`, or "auto" to choose by the file's name.
    vocabulary
        The words, or the path of a file with one word per line. Without it a vocabulary is taken
        from where the format keeps it, if it is there.
    """
    file = _path(path)
    reader = _reader(file, format)
    if isinstance(vocabulary, str | os.PathLike):
        vocabulary = read_vocabulary(_path(vocabulary))
    return reader.read(file, vocabulary)


def _path(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path)
    except TypeError as error:
        raise InputError(
            f"a file name is needed, not {path!r:.80}; use Corpus.from_matrix for data in memory."
        ) from error


def _reader(path: Path, name: str) -> Reader:
    known = ", ".join(sorted(FORMATS))
    if isinstance(name, str) and name in FORMATS:
        return FORMATS[name]
    if name != "auto":
        raise InputError(f"there is no format {name!r}; use one of: auto, {known}.")
    for reader in FORMATS.values():
        if reader.recognises(path):
            return reader
    open_file(path).close()  # a missing file or a folder is the first thing to tell
    raise FileFormatError(
        f"{path}: the name does not tell the format of the file; name it with format=, one of: "
        f"{known}."
    )
