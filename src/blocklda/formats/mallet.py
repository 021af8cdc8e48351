r"""MALLET's import-file lines: "name label text …", one document a line.

The label is passed over, since a corpus has none; X is written. MALLET takes other strings for
words than blocklda does: TOKEN_PATTERN is its default, and what is read back as it was written
needs token_pattern=r"\S+", lowercase=False and stop_words="none".
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.numbers.fields import shown
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import is_named, open_file
from blocklda.formats.streams.text_output import encoded, write_text
from blocklda.formats.streams.text_stream import checked_encoding, text_lines
from blocklda.formats.words.records import Document, count_documents
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["OPTIONS", "TOKEN_PATTERN", "documents", "read", "recognises", "write"]

OPTIONS: frozenset[str] = frozenset({"text", "encoding"})

# Java writes these two bytes on top of objects, as in the file that import-file makes.
_JAVA_OBJECT = b"\xac\xed"

_LETTER = r"[^\W\d_]"
_PUNCTUATION = r"[!-#%-*,-/:;?@\[-\]_{}¡§«¶·»¿\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u3011]"
TOKEN_PATTERN = rf"(?u){_LETTER}(?:{_LETTER}|{_PUNCTUATION})+{_LETTER}"
r"""MALLET's default, \p{L}[\p{L}\p{P}]+\p{L}: letters with letters and punctuation between them.

Python's expressions have no classes of Unicode: of the punctuation, that of ASCII, Latin-1 and the
General Punctuation block is here, and the most usual of East Asia.
"""


def recognises(path: Path) -> bool:
    """Return True if a file is called .mallet or .mallet.txt."""
    return is_named(path.name, ".mallet", ".mallet.txt")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Count the words of the texts; the names of the documents are kept."""
    return count_documents(path, documents(path, options), options)


def documents(path: Path, options: ReadOptions) -> Generator[Document]:
    """Yield the texts with their names; blank lines are passed over."""
    _refuse_instances(path)
    is_empty = True
    with closing(text_lines(path, checked_encoding(options.encoding))) as lines:
        for number, line in enumerate(lines, start=1):
            fields = line.split(None, 2)
            if not fields:
                continue
            if len(fields) == 1:
                raise FileFormatError(
                    f"{path}, line {number}: {shown(line.encode(errors='replace'))} was found; "
                    'write "name label text", with any label.'
                )
            is_empty = False
            yield Document(fields[2] if len(fields) == 3 else "", fields[0])
    if is_empty:
        raise FileFormatError(
            f'{path}, line 1: the file is empty; it has a line "name label text" per document.'
        )


def _refuse_instances(path: Path) -> None:
    with open_file(path) as file:
        if file.peek(2).startswith(_JAVA_OBJECT):
            raise FileFormatError(
                f"{path} holds MALLET's instances, as Java objects; give the text file that "
                "import-file read, or a state that train-topics wrote with --output-state."
            )


def write(corpus: Corpus, path: Path) -> None:
    """Write each document as its name, or else its number, the label X, and its words."""
    if corpus.vocabulary is None:
        raise InputError(
            f"cannot write {path}: MALLET files hold words, but the corpus has no vocabulary; give "
            "it one."
        )
    names = corpus.doc_names or tuple(map(str, range(corpus.n_docs)))
    for what, items in (("document (row)", names), ("word (column)", corpus.vocabulary)):
        for number, item in enumerate(items):
            if item.split() != [item] or item.startswith("\ufeff"):
                raise InputError(
                    f"cannot write {path}: {what} {number} is called {item!r:.80}, but names in "
                    "MALLET files must not be empty or contain white space; rename it."
                )
    write_text(path, document_lines(corpus, names, corpus.vocabulary, path))


def document_lines(
    corpus: Corpus, names: tuple[str, ...], words: tuple[str, ...], path: Path
) -> Iterator[bytes]:
    for name, (start, stop) in zip(names, pairwise(corpus.doc_offsets.tolist()), strict=True):
        ids = corpus.word_ids[start:stop].tolist()
        counts = corpus.counts[start:stop].tolist()
        tokens = [word for i, n in zip(ids, counts, strict=True) for word in [words[i]] * n]
        yield encoded(path, " ".join([name, "X", *tokens]) + "\n")
