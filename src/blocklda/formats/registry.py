"""The formats by name: what each module offers, and which one a file is in."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from blocklda.data.corpus import Corpus
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
    sharded,
    svmlight,
    tenx,
    text_folder,
    uci,
    xlsx,
)
from blocklda.formats.options import ReadOptions
from blocklda.formats.other_files import refuse_other_files
from blocklda.formats.streams.line_chunks import open_file
from blocklda.formats.words.records import Document
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.messages import Allowed, Given, Message

__all__ = [
    "FORMATS",
    "TEXT_FORMATS",
    "WRITABLE",
    "Format",
    "TextFormat",
    "Writer",
    "find_reader",
    "find_writer",
    "path_of",
    "require_used",
]


class Format(Protocol):
    """What a format's module offers."""

    OPTIONS: frozenset[str]
    """Which of the :class:`ReadOptions`, beside the vocabulary, ``read`` looks at."""

    def recognises(self, path: Path, /) -> bool:
        """Return True if a file of this name, which may be looked at, is usually in this format."""

    def read(self, path: Path, options: ReadOptions, /) -> Corpus:
        """Read a file; without a vocabulary, look for one where this format keeps it."""


@runtime_checkable
class TextFormat(Protocol):
    """What the module of a format offers that holds texts."""

    def documents(self, path: Path, options: ReadOptions, /) -> Generator[Document]:
        """Yield the documents of a file one at a time."""


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
    "shards": sharded,
    "10x": tenx,
    "texts": text_folder,
    "csv": delimited,
    "jsonl": jsonl,
    "parquet": parquet,
    "xlsx": xlsx,
    "lines": lines,
}
"""The formats by name; where a name or a look at the file fits several, the first one is taken."""

TEXT_FORMATS = tuple(
    sorted(name for name, module in FORMATS.items() if isinstance(module, TextFormat))
)
"""The names of those that hold texts."""

WRITABLE = tuple(sorted(name for name, module in FORMATS.items() if isinstance(module, Writer)))
"""The names of those that can be written too."""


def path_of(path: str | os.PathLike[str]) -> Path:
    """Return what a user gave as the name of a file."""
    try:
        return Path(path)
    except TypeError as error:
        raise InputError(
            f"a file name is needed, not a {type(path).__name__}; for data in memory use "
            "Corpus.from_texts or, for counts, Corpus.from_matrix."
        ) from error


def find_reader(
    path: Path, name: str = "auto", wanted: Iterable[str] = FORMATS
) -> tuple[str, Format]:
    """Return the format of a file that is to be read, by name or by the file's name.

    If neither tells, those that are wanted are named; another one is returned all the same.
    """
    known = sorted(wanted)
    chosen = _by_name(name, known)
    if chosen is not None:
        return chosen
    if not os.path.isdir(path):  # unlike the method of a path, it takes names that none can have
        open_file(path).close()  # a missing file is the first thing to tell
    return _by_file_name(path, known)


def find_writer(path: Path, name: str = "auto") -> Writer:
    """Return what writes a file in a format, by name or by the file's name."""
    found, writer = _by_name(name, WRITABLE) or _by_file_name(path, WRITABLE)
    if not isinstance(writer, Writer):
        raise InputError.of(
            "{path}: {found} files can be read, but not written; [name another format with "
            "{one_of}]."
        ).where(path=path, found=found, one_of=_one_of(WRITABLE), parameter="format", value=name)
    return writer


def require_used(name: str, reader: Format, options: ReadOptions) -> None:
    """Refuse what this format would ignore."""
    unused = [option for option in options.given() if option not in reader.OPTIONS]
    if not unused:
        return
    if unused[0] == "text":
        raise InputError.of(
            "{name} files hold counts, not texts, so there are no words to choose: [leave out the "
            "text settings, or name another format with {format=}]."
        ).where(name=name)
    raise InputError.of(
        "{given} does not apply to {name} files: [leave it out, or name another format with "
        "{format=}]."
    ).where(given=Given(unused[0], getattr(options, unused[0])), name=name)


def _by_name(name: str, allowed: Iterable[str]) -> tuple[str, Format] | None:
    """Return the format that is named, None for "auto"."""
    if name == "auto":
        return None
    if not isinstance(name, str) or name not in FORMATS:
        names = ("auto", *allowed)
        raise InputError.of("there is no format {name!r:.80}; [use one of: {allowed}].").where(
            name=name,
            allowed=Allowed(", ".join(names), choices=names),
            parameter="format",
            value=name,
        )
    return name, FORMATS[name]


def _by_file_name(path: Path, allowed: Iterable[str]) -> tuple[str, Format]:
    for name, reader in FORMATS.items():
        if reader.recognises(path):
            return name, reader
    if os.path.isfile(path):
        refuse_other_files(path)
    raise FileFormatError.of(
        "{path}: the format cannot be recognised by the name; [give it with {one_of}]."
    ).where(path=path, one_of=_one_of(allowed), parameter="format", value="auto")


def _one_of(formats: Iterable[str]) -> Message:
    names = tuple(formats)
    return Message.of("{format=}, one of: {allowed}").where(
        allowed=Allowed(", ".join(names), choices=names)
    )
