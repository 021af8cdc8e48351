"""Several files that are read as one corpus: of one kind, with the same columns or words."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.formats.options import ReadOptions
from blocklda.formats.registry import Format, TextFormat, find_reader, path_of
from blocklda.formats.words.records import Document, count_documents
from blocklda.support.errors import InputError

__all__ = ["Paths", "documents_of", "find_one_reader", "name_of", "paths_of", "read_several"]

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A file or folder, or several."""


def paths_of(given: Paths) -> list[Path]:
    """Return the files that a user gave, of which there must be one."""
    if not isinstance(given, list | tuple):
        return [path_of(given)]  # type: ignore[arg-type]  # refused there if it is no name
    if not given:
        raise InputError("there is no file to read: give the name of one, or several.")
    return [path_of(path) for path in given]


def name_of(paths: Sequence[Path]) -> str:
    """Return what several files are called in a message."""
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def find_one_reader(
    paths: Sequence[Path], name: str, wanted: Sequence[str] | None = None
) -> tuple[str, Format]:
    """Return the format that all files have; refuse files of different kinds."""
    found = [find_reader(path, name, *([] if wanted is None else [wanted])) for path in paths]
    for path, (other, _) in zip(paths, found, strict=True):
        if other != found[0][0]:
            raise InputError.of(
                "several inputs must have the same format, but {first} is read as {kind} and "
                "{path} as {other}; [convert them to one format, or name it with {format=}]."
            ).where(first=paths[0], kind=found[0][0], path=path, other=other)
    return found[0]


def read_several(paths: Sequence[Path], reader: Format, options: ReadOptions) -> Corpus:
    """Read files one after the other as one corpus."""
    if len(paths) == 1:
        return reader.read(paths[0], options)
    if isinstance(reader, TextFormat):
        return count_documents(name_of(paths), documents_of(paths, reader, options), options)
    return _below_each_other(paths, [reader.read(path, options) for path in paths])


def documents_of(
    paths: Sequence[Path], reader: TextFormat, options: ReadOptions
) -> Generator[Document]:
    """Yield the documents of all files.

    Files of different folders may be called alike, so documents of several folders have the name of
    theirs in front.
    """
    for path in paths:
        start = f"{path.name}/" if len(paths) > 1 and path.is_dir() else ""
        with closing(reader.documents(path, options)) as documents:
            for document in documents:
                yield document._replace(name=start + (document.name or "")) if start else document


def _below_each_other(paths: Sequence[Path], parts: Sequence[Corpus]) -> Corpus:
    first = parts[0]
    for path, part in zip(paths, parts, strict=True):
        _require_same_words(paths[0], first, path, part)
    names: list[str] | None = []
    for part in parts:
        names = None if names is None or part.doc_names is None else [*names, *part.doc_names]
    matrix = sparse.vstack([part.to_matrix() for part in parts], format="csr")
    return Corpus.from_matrix(
        matrix, first.vocabulary, doc_names=names, text_settings=first.text_settings
    )


def _require_same_words(first_path: Path, first: Corpus, path: Path, part: Corpus) -> None:
    """Refuse counts whose columns are other words than those of the first file."""
    if first.n_words != part.n_words:
        difference = f"has {part.n_words:,} words, but {first_path} has {first.n_words:,}"
    elif first.vocabulary != part.vocabulary:
        words = zip(first.vocabulary or (), part.vocabulary or (), strict=False)
        column = next((i for i, (a, b) in enumerate(words) if a != b), 0)
        difference = f"has different words from {first_path}, from column {column} on"
    else:
        return
    raise InputError.of(
        "{path} {difference}: several files of counts must have the same columns; [count the same "
        "words in all of them, or give the words of both with {vocabulary=}]."
    ).where(path=path, difference=difference)
