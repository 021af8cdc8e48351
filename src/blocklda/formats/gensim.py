"""gensim's corpora: X.mm as ``MmCorpus.serialize`` writes it, with the dictionary beside it.

X.mm is a Matrix Market file whose rows are documents. The words are in X.dict.txt or X.dict, which
``Dictionary.save_as_text`` writes; what ``Dictionary.save`` writes is a pickle and is not read.
Bags of words in memory need no file: :func:`corpus_from_gensim` and :func:`corpus_to_gensim`.
Nothing here needs gensim to be installed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from contextlib import closing
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.formats.matrix_market import read_header
from blocklda.formats.numbers.entry_lines import entry_lines, read_entries
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import is_named, text_chunks
from blocklda.formats.words.gensim_dictionary import dictionary_text, read_dictionary
from blocklda.formats.words.vocabulary import (
    corpus_of,
    plain_and_gzip,
    stem,
    words_beside,
    write_with_vocabulary,
)
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["OPTIONS", "corpus_from_gensim", "corpus_to_gensim", "read", "recognises", "write"]

OPTIONS: frozenset[str] = frozenset()

# gensim asks for "real", whatever the counts are.
_BANNER = "%%MatrixMarket matrix coordinate real general"

_DICTIONARY_ENDINGS = (".dict.txt", ".dict")


def recognises(path: Path) -> bool:
    """Return True if a file is called .mm."""
    return is_named(path.name, ".mm")


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read a file; its words are those in X.dict.txt or X.dict, if it is there."""
    with closing(text_chunks(path)) as chunks:
        layout, rest = read_header(path, chunks)
        words, place = words_beside(
            options.vocabulary, _dictionary_places(path), reader=read_dictionary
        )
        n_words = layout.sizes.n_words
        if words is not None and len(words) < n_words:
            found = f"{place or 'the vocabulary'} has {len(words)}"
            raise FileFormatError.of(
                "{path}, line {layout.header_line}: the header announces {n_words} words, but "
                "{found}; [put the right dictionary there or pass it as {vocabulary=}]."
            ).where(path=path, layout=layout, n_words=n_words, found=found)
        matrix = read_entries(layout, rest, chunks)
        if words is not None:
            # gensim announces words up to the last one used; the dictionary may have more.
            shape = (layout.sizes.n_docs, len(words))
            matrix = sparse.csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=shape)
        return corpus_of(path, matrix, words)


def write(corpus: Corpus, path: Path) -> None:
    """Write a file and, if the words have names, X.dict.txt beside it."""
    index = path.with_name(path.name + ".index")
    if index.exists():
        raise InputError(
            f"{index} is the index of an older {path.name}; gensim would use it and find the wrong "
            "documents: remove it or choose another name."
        )
    header = f"{_BANNER}\n{corpus.n_docs} {corpus.n_words} {corpus.n_entries}\n"
    pieces = chain([header.encode()], entry_lines(corpus))
    write_with_vocabulary(corpus, path, pieces, _dictionary_places(path), dictionary_text)


def _dictionary_places(path: Path) -> list[Path]:
    names = [path.with_name(stem(path) + ending) for ending in _DICTIONARY_ENDINGS]
    return [place for name in names for place in plain_and_gzip(name)]


# --- in memory


def corpus_from_gensim(
    bow: Iterable[Iterable[tuple[int, float]]], dictionary: Mapping[int, str] | None = None
) -> Corpus:
    """Make a corpus of bags of words: for each document (id, count) pairs, as ``doc2bow`` gives.

    ``dictionary`` is a gensim ``Dictionary`` or any mapping from ids to words; ids must run from 0
    without gaps. Without it there are as many words as the largest id says.

    Examples
    --------
    >>> from blocklda.formats.gensim import corpus_from_gensim
    >>> corpus_from_gensim([[(0, 2), (2, 1)], [(1, 1)]], {0: "soup", 1: "bed", 2: "bread"}).n_tokens
    4
    """
    ids, counts, lengths = array("q"), array("d"), array("q")
    for row, document in enumerate(bow):
        before = len(ids)
        for pair in document:
            _add_pair(row, pair, ids, counts)
        lengths.append(len(ids) - before)
    columns = np.frombuffer(ids, dtype=np.int64) if len(ids) else np.empty(0, dtype=np.int64)
    words = None if dictionary is None else _words(dictionary)
    n_words = int(columns.max(initial=-1)) + 1 if words is None else len(words)
    if len(columns) and int(columns.max()) >= n_words:
        raise InputError(
            f"the corpus has the word id {columns.max()}, but the dictionary has {n_words} words; "
            "pass the dictionary that the corpus was created with."
        )
    rows = np.repeat(np.arange(len(lengths)), np.array(lengths, dtype=np.int64))
    values = np.array(counts, dtype=np.float64)
    matrix = sparse.coo_matrix((values, (rows, columns)), shape=(len(lengths), n_words))
    return Corpus.from_matrix(matrix, words)


def _add_pair(row: int, pair: Any, ids: array[int], counts: array[float]) -> None:
    try:
        word, count = pair
        ids.append(word)
        counts.append(count)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"document {row} of the corpus holds {pair!r:.80}; a document is a list of (id, count) "
            "pairs: use dictionary.doc2bow."
        ) from error
    if word < 0:
        raise InputError(f"document {row} of the corpus has the word id {word}; ids begin with 0.")


def _words(dictionary: Mapping[int, str]) -> list[str]:
    if not isinstance(dictionary, Mapping):
        raise InputError(
            f"the dictionary is a {type(dictionary).__name__}; pass a gensim Dictionary or a "
            "mapping from ids to words."
        )
    words: dict[int, str] = dict(dictionary.items())
    missing = next((number for number in range(len(words)) if number not in words), None)
    if missing is not None:
        raise InputError(
            f"the dictionary has {len(words)} words but none with the id {missing}; ids run from 0 "
            "without gaps: call dictionary.compactify() before you create the corpus."
        )
    return [words[number] for number in range(len(words))]


def corpus_to_gensim(
    corpus: Corpus,
) -> tuple[list[list[tuple[int, int]]], dict[int, str] | None]:
    """Return the documents as gensim takes them, and ``id2word``; None if words have no names.

    Examples
    --------
    >>> import blocklda
    >>> from blocklda.formats.gensim import corpus_to_gensim
    >>> corpus = blocklda.Corpus.from_matrix([[2, 0], [0, 1]], vocabulary=["soup", "bed"])
    >>> corpus_to_gensim(corpus)[0]
    [[(0, 2)], [(1, 1)]]
    """
    ids, counts = corpus.word_ids.tolist(), corpus.counts.tolist()
    documents = [
        list(zip(ids[start:stop], counts[start:stop], strict=True))
        for start, stop in pairwise(corpus.doc_offsets.tolist())
    ]
    words = corpus.vocabulary
    return documents, None if words is None else dict(enumerate(words))
