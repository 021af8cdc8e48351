"""Matrix Market coordinate files: documents are rows, words are columns, both numbered from 1.

A banner "%%MatrixMarket matrix coordinate integer general" (or real, or pattern), comments that
begin with %, a line "rows columns entries", then each line is one entry. The banner's last word
must be general: a symmetric matrix is none of documents and words.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.numbers.entry_layout import EntryLayout, Sizes, check_sizes
from blocklda.formats.numbers.entry_lines import entry_lines, read_entries
from blocklda.formats.numbers.fields import shown, whole_number
from blocklda.formats.numbers.tenx_files import GENES, file_in, read_table
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import header_lines, is_named, text_chunks
from blocklda.formats.words.vocabulary import (
    corpus_of,
    fitting_words,
    vocabulary_places,
    write_with_vocabulary,
)
from blocklda.support.errors import DataWarning, FileFormatError

__all__ = ["OPTIONS", "read", "read_header", "recognises", "write"]

OPTIONS = frozenset({"transpose"})

_BANNER = "%%MatrixMarket matrix coordinate integer general"


def recognises(path: Path) -> bool:
    """Return True if a file is called .mtx."""
    return is_named(path.name, ".mtx")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read a file of documents × words; its words are those in X.vocab, if it is there."""
    with closing(text_chunks(path)) as chunks:
        layout, rest = read_header(path, chunks)
        announced = f"{path}, line {layout.header_line}: the header announces"
        places = vocabulary_places(path)
        transpose = bool(options.transpose)
        n_docs, n_words, _ = (layout.transposed() if transpose else layout).sizes
        words = fitting_words(path, announced, n_words, options.vocabulary, places, n_docs)
        if not transpose:
            _warn_of_genes(path, layout.sizes)
        return corpus_of(path, read_entries(layout, rest, chunks, transpose=transpose), words)


def write(corpus: Corpus, path: Path) -> None:
    """Write a file and, if the words have names, X.vocab beside it."""
    sizes = f"{_BANNER}\n{corpus.n_docs} {corpus.n_words} {corpus.n_entries}\n"
    pieces = chain([sizes.encode()], entry_lines(corpus))
    write_with_vocabulary(corpus, path, pieces, vocabulary_places(path))


def _warn_of_genes(path: Path, sizes: Sizes) -> None:
    """Warn that a matrix of 10x Genomics has genes in its rows."""
    genes = file_in(path.parent, GENES)
    if genes is None or sizes.n_docs == sizes.n_words:
        return
    if len(read_table(genes)) == sizes.n_docs:
        warnings.warn(
            DataWarning.of(
                "{path} looks transposed: {genes} names {sizes.n_docs} genes, which are its rows "
                "and are read as documents; [give the folder {folder}, or {transpose=True}]."
            ).where(path=path, genes=genes.name, sizes=sizes, folder=path.parent),
            stacklevel=4,
        )


def read_header(path: Path, chunks: Iterator[bytes]) -> tuple[EntryLayout, bytes]:
    """Read the banner, the comments and the sizes; return them and the text read along."""
    lines, rest = header_lines(path, chunks, b"%")
    kind = _kind(path, lines[0] if lines else rest.partition(b"\n")[0])
    line = len(lines) + 1
    while True:
        rest = rest or next(chunks, b"")
        if not rest:
            raise _refusal(path, line, "the file ends within its header", "fetch it again")
        raw, _, rest = rest.partition(b"\n")
        if raw.strip():
            break
        line += 1
    layout = EntryLayout(
        path=path,
        sizes=_sizes(path, line, raw),
        header_line=line,
        least_count=0,
        real=kind == "real",
        has_counts=kind != "pattern",
    )
    return layout, rest


def _kind(path: Path, raw: bytes) -> str:
    """Return what the banner says of the values, if it is a banner of what can be read."""
    fields = raw.decode("ascii", errors="replace").lower().split()
    if len(fields) != 5 or fields[:2] != ["%%matrixmarket", "matrix"]:
        raise _refusal(
            path, 1, f"{shown(raw)} was found", f'a Matrix Market file begins with "{_BANNER}"'
        )
    layout, kind, symmetry = fields[2:]
    if layout != "coordinate":
        raise _refusal(path, 1, f'the layout is "{layout}"', "save the matrix as a sparse one")
    if kind not in ("integer", "real", "pattern"):
        raise _refusal(
            path, 1, f'the values are "{kind}"', "counts are integer, or pattern if all are 1"
        )
    if symmetry != "general":
        raise _refusal(
            path,
            1,
            f'the matrix is "{symmetry}"',
            'documents × words are a "general" matrix: save it as one',
        )
    return kind


def _sizes(path: Path, line: int, raw: bytes) -> Sizes:
    numbers = [whole_number(field) for field in raw.split()]
    known = [number for number in numbers if number is not None]
    if len(known) != 3 or len(numbers) != 3 or min(known[:2]) < 1:
        raise _refusal(
            path,
            line,
            f"{shown(raw)} was found",
            "give the numbers of documents (rows), words (columns) and entries; the first two "
            "must be at least 1",
        )
    sizes = Sizes(*known)
    check_sizes(path, sizes, (line, line, line))
    return sizes


def _refusal(path: Path, line: int, found: str, remedy: str) -> FileFormatError:
    return FileFormatError(f"{path}, line {line}: {found}; {remedy}.")
