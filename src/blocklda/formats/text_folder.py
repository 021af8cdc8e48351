"""A folder of .txt files, each of them a document; or single files, if the format is named.

Folders within it are looked into, too; what begins with a dot is hidden and left out. Documents are
in the order of their paths, and called by them without the suffix: "1990/march" for
1990/march.txt.gz.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.numbers.tenx_files import MATRIX
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import is_named
from blocklda.formats.streams.text_stream import checked_encoding, whole_text, without_surrogates
from blocklda.formats.words.records import Document, count_documents
from blocklda.support.errors import InputError

__all__ = ["OPTIONS", "document_name", "documents", "read", "recognises", "text_files"]

OPTIONS = frozenset({"text", "encoding"})

_SUFFIX = ".txt"


def recognises(path: Path) -> bool:
    """Return True if a path is a folder."""
    return os.path.isdir(path)  # unlike the method of a path, it takes names that none can have


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the files one after the other and count their words."""
    return count_documents(path, documents(path, options), options)


def documents(path: Path, options: ReadOptions) -> Generator[Document]:
    """Yield the texts of the files, called by their paths."""
    encoding = checked_encoding(options.encoding)
    if os.path.isfile(path):
        yield Document(whole_text(str(path), encoding), document_name(path.name))
        return
    for file in text_files(path):
        yield Document(whole_text(f"{path}/{file}", encoding), document_name(file))


def text_files(folder: Path) -> list[str]:
    """Return the paths of all texts from the folder on, with slashes everywhere, in order."""
    if not recognises(folder):
        raise InputError.of(
            "there is no folder {folder}; [check the name, or leave out {format=}]."
        ).where(folder=folder)
    files = sorted(_walk(folder))
    if not files:
        raise _without_texts(folder)
    return files


def _without_texts(folder: Path) -> InputError:
    """Return the error for a folder without texts, which says what it has instead."""
    others = sorted(_files(folder))
    cells = next((file for file in others if Path(file).name.startswith(MATRIX)), None)
    if cells is not None and Path(cells).name == cells:
        return InputError.of(
            "{folder}: the folder has a matrix, {cells}, but no features.tsv or genes.tsv with "
            "the names of its genes: [add that file, or read {folder}/{cells} with "
            "{transpose=True}, with genes as numbers]."
        ).where(folder=folder, cells=cells)
    if cells is not None:
        return InputError(
            f"{folder}: the folder has no {_SUFFIX} file, but a matrix in {folder}/{cells}; if it "
            f"is in 10x Genomics format, give the folder {(folder / cells).parent}."
        )
    found = f"; other files: {len(others):,} (for example {others[0]!r:.60})" if others else ""
    return InputError.of(
        "{folder}: the folder and its subfolders have no {suffix} file{found}: [name a folder "
        "with one {suffix} file per document, or a file; to read text files with other names, one "
        'document each, list them and give {format="texts"}].'
    ).where(folder=folder, suffix=_SUFFIX, found=found)


def _walk(folder: Path) -> Iterator[str]:
    return (file for file in _files(folder) if is_named(file, _SUFFIX))


def _files(folder: Path) -> Iterator[str]:
    """Yield the paths of all files from the folder on, those that are hidden apart."""
    for place, folders, files in os.walk(folder, onerror=_refuse_folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = Path(place).relative_to(folder).as_posix()
        start = "" if inside == "." else f"{inside}/"
        yield from (start + name for name in files if not name.startswith("."))


def _refuse_folder(error: OSError) -> None:
    raise InputError(
        f"the folder {error.filename} cannot be read ({error.strerror}); check the permissions."
    ) from error


def document_name(file: str) -> str:
    """Return what the text of a file is called: its path without the suffix."""
    name = file[: -len(".gz")] if file.lower().endswith(".gz") else file
    if name.lower().endswith(_SUFFIX):
        name = name[: -len(_SUFFIX)]
    return without_surrogates(name)  # names of files can be any bytes
