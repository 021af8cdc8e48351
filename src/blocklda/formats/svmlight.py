"""svmlight, which libsvm reads too: one document a line, "label id:count id:count … # comment".

A corpus has no labels: they are passed over, and 0 is written. Ids begin with 1, unless the id 0
occurs or a comment above the documents says that columns are zero-based, as scikit-learn's does.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.numbers.count_rows import RowLayout, Rows, read_rows, row_lines
from blocklda.formats.numbers.rows_corpus import refuse_unseen_words, rows_corpus
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import is_named, text_chunks
from blocklda.formats.words.vocabulary import vocabulary_places, write_with_vocabulary
from blocklda.support.errors import FileFormatError

__all__ = ["OPTIONS", "read", "recognises", "write"]

OPTIONS: frozenset[str] = frozenset()


def recognises(path: Path) -> bool:
    """Return True if a file is called .svm, .svmlight or .libsvm."""
    return is_named(path.name, ".svm", ".svmlight", ".libsvm")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read a file; its words are those in X.vocab or X.tokens, if it is there."""
    layout = RowLayout(path=path, has_labels=True, first_id=1)
    with closing(text_chunks(path)) as chunks:
        rows = read_rows(layout, chunks)
    return rows_corpus(path, rows, _first_id(path, rows), options.vocabulary)


def _first_id(path: Path, rows: Rows) -> int:
    has_zero = bool(len(rows.ids)) and int(rows.ids.min()) == 0
    said = b"\n".join(rows.comments).lower()
    if b"one-based" in said and has_zero:
        line = rows.line_of(int(rows.ids.argmin()))
        raise FileFormatError(
            f"{path}, line {line}: the id 0 was found, but a comment above says that columns are "
            "one-based; correct one of them."
        )
    return 0 if has_zero or b"zero-based" in said else 1


def write(corpus: Corpus, path: Path) -> None:
    """Write a file with ids from 1 and, if the words have names, X.vocab beside it."""
    refuse_unseen_words(corpus, path, "an svmlight file")
    write_with_vocabulary(corpus, path, row_lines(corpus, 1, b"0"), vocabulary_places(path))
