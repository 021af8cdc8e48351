"""One document a line, in a text file.

A blank line is a document without words; it keeps its row.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import is_named
from blocklda.formats.streams.text_stream import checked_encoding, text_lines
from blocklda.formats.words.records import Document, count_documents

__all__ = ["OPTIONS", "documents", "read", "recognises"]

OPTIONS = frozenset({"text", "encoding"})


def recognises(path: Path) -> bool:
    """Return True for .txt; formats that have .txt files of their own come first."""
    return is_named(path.name, ".txt")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the lines and count their words."""
    return count_documents(path, documents(path, options), options)


def documents(path: Path, options: ReadOptions) -> Generator[Document]:
    """Yield the lines."""
    with closing(text_lines(path, checked_encoding(options.encoding))) as lines:
        for line in lines:
            yield Document(line.removesuffix("\r"))
