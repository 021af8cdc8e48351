"""Read the texts of documents from a file, to show them beside a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from blocklda.formats.options import ReadOptions
from blocklda.formats.registry import TEXT_FORMATS, TextFormat, require_used
from blocklda.formats.several import Paths, documents_of, find_one_reader, name_of, paths_of
from blocklda.formats.words.records import Document
from blocklda.support.errors import InputError
from blocklda.support.memory import require_memory
from blocklda.support.messages import Allowed

__all__ = ["Texts", "read_texts"]

_BYTES_PER_DOCUMENT = 200
_ASK_EVERY = 2**24
"""Characters after which it is asked again whether as many as there are have room."""


@dataclass(frozen=True)
class Texts:
    """What a file says of its documents, in the order of a corpus that is read from it.

    Attributes
    ----------
    texts
        The texts; None of a table that was read for its groups and has no column of texts.
    doc_names
        The names of the documents, if the file has any or a column of them was named.
    groups
        The values of the column of groups, as text; an empty one where the file has none.
    """

    texts: tuple[str, ...] | None
    doc_names: tuple[str, ...] | None
    groups: tuple[str, ...] | None

    @property
    def n_docs(self) -> int:
        """The number of documents."""
        return len(self.texts or self.groups or ())


def read_texts(
    path: Paths,
    format: str = "auto",  # noqa: A002  # the word users look for
    *,
    text_column: str | None = None,
    id_column: str | None = None,
    group_column: str | None = None,
    tokens_column: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    has_header: bool | None = None,
) -> Texts:
    """Read the texts whose words `read_corpus` counts with the same options.

    Parameters
    ----------
    path
        The file, or a folder of texts; or a list of them, in the order of the fit.
    format
        The name of a format that holds texts, or "auto" to choose by the file's name.
    text_column, id_column
        The columns of a table that hold the texts and the names of the documents.
    group_column
        A column to read along, by which documents are to be grouped. If it is named, a table may
        have no texts.
    tokens_column
        The column that holds lists of words, instead of one of texts; a space is put between them.
    encoding
        The encoding of a text file; UTF-8 if nothing is said.
    delimiter, quote, has_header
        As in `read_corpus`.
    """
    files = paths_of(path)
    name, reader = find_one_reader(files, format, TEXT_FORMATS)
    file = name_of(files)
    if not isinstance(reader, TextFormat):
        raise InputError.of(
            "{file}: {name} files hold counts, not texts: [give the file that was counted, or "
            "name another format with {format=}, one of: {allowed}]."
        ).where(
            file=file, name=name, allowed=Allowed(", ".join(TEXT_FORMATS), choices=TEXT_FORMATS)
        )
    options = ReadOptions(
        text_column=text_column,
        id_column=id_column,
        group_column=group_column,
        tokens_column=tokens_column,
        encoding=encoding,
        delimiter=delimiter,
        quote=quote,
        has_header=has_header,
    )
    require_used(name, reader, options)
    with closing(documents_of(files, reader, options)) as documents:
        found = list(_with_room(file, documents))
    if not found:
        raise InputError(f"{file}: there is no document; check that this is the right one.")
    joined = ((_as_text(one.text), one.name, one.group) for one in found)
    return Texts(*(_all_or_none(values) for values in zip(*joined, strict=True)))


def _as_text(words: str | list[str] | None) -> str | None:
    return " ".join(words) if isinstance(words, list) else words


def _all_or_none(values: Iterable[str | None]) -> tuple[str, ...] | None:
    """Return the values; None where documents have none, which is the same for all of a file."""
    present = tuple(value for value in values if value is not None)
    return present or None


def _with_room(path: str, documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents; refuse more text than there is memory for."""
    size = asked = 0
    for document in documents:
        # A document takes memory of its own, whether it has text or not.
        size += _BYTES_PER_DOCUMENT + len(document.text or "")
        if size - asked > _ASK_EVERY:
            # What is there has its memory already: there must be room for as much again.
            require_memory(
                size,
                f"continuing to read {path} after {size} bytes of texts",
                "leave the texts out, or fit a part of them",
            )
            asked = size
        yield document
