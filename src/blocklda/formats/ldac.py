"""LDA-C: one document a line, "N id:count id:count …" with N pairs, words numbered from 0."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.numbers.count_rows import RowLayout, read_rows, row_lines
from blocklda.formats.numbers.rows_corpus import refuse_unseen_words, rows_corpus
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import is_named, text_chunks
from blocklda.formats.words.vocabulary import vocabulary_places, write_with_vocabulary

__all__ = ["OPTIONS", "read", "recognises", "write"]

OPTIONS: frozenset[str] = frozenset()


def recognises(path: Path) -> bool:
    """Return True if a file is called .ldac or .lda-c."""
    return is_named(path.name, ".ldac", ".lda-c")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read a file; its words are those in X.vocab or X.tokens, if it is there."""
    layout = RowLayout(path=path, has_labels=False, first_id=0)
    with closing(text_chunks(path)) as chunks:
        rows = read_rows(layout, chunks)
    return rows_corpus(path, rows, 0, options.vocabulary)


def write(corpus: Corpus, path: Path) -> None:
    """Write a file and, if the words have names, X.vocab beside it."""
    refuse_unseen_words(corpus, path, "an LDA-C file")
    write_with_vocabulary(corpus, path, row_lines(corpus, 0), vocabulary_places(path))
