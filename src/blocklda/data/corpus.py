"""Corpus: how often each word occurs in each document, checked once and never changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse

from blocklda import _native
from blocklda.data.anndata_object import counts_of_anndata, is_anndata
from blocklda.data.doc_index import DocIndex, index_of
from blocklda.data.matrix_entries import (
    MAX_TOKENS,
    Entries,
    as_matrix,
    column_names,
    matrix_entries,
    row_names,
)
from blocklda.data.names import checked_doc_names, checked_vocabulary
from blocklda.data.text_settings import TextSettings
from blocklda.support.arrays import Int32s, Ints, sealed
from blocklda.support.errors import BlockldaError, CapacityError, InputError
from blocklda.support.html_table import html_table

__all__ = ["MAX_TOKENS", "ByWord", "Corpus"]


_PIECE = 2**22
"""Entries that are counted at a time."""


class ByWord(NamedTuple):
    """The entries of a corpus ordered by word, then by document.

    The entries of word v are those from `word_offsets[v]` up to `word_offsets[v + 1]`; `starts` is
    the place of an entry's first token among the tokens of the corpus.
    """

    word_offsets: Ints
    doc_ids: Int32s
    counts: Int32s
    starts: Int32s


class Corpus:
    """Documents as counts of words, in checked read-only arrays.

    Entry i says that a word occurs `counts[i]` times in a document. The entries of document d are
    those from `doc_offsets[d]` up to `doc_offsets[d + 1]`, ordered by word. Make one with
    `Corpus.from_matrix`, `Corpus.from_texts`, `Corpus.from_tokens` or `read_corpus`.

    Attributes
    ----------
        doc_offsets: int64, n_docs + 1 numbers; where each document's entries begin and end.
        word_ids: int32, one per entry; ascending within a document.
        counts: int32, one per entry, at least 1.
        n_docs: number of documents, empty ones included.
        n_words: number of words in the vocabulary, unused ones included.
        n_entries: number of different (document, word) pairs.
        n_tokens: sum of the counts.
        max_count: the largest count, 0 if there is none.
        vocabulary: the words, one per column, or None if they have no names.
        doc_names: the names of the documents, one per row, or None if they have none.
        doc_index: the index of the data frame or series that the documents came from, which data
            frames of results use again; None if it only numbered or named them.
        text_settings: how texts were split into words, or None if there were only counts.

    Two corpora are equal if their counts and words are equal.

    Examples
    --------
    >>> from blocklda import Corpus
    >>> corpus = Corpus.from_texts(["Soup and bread", "No sleep"], stop_words="none")
    >>> corpus.vocabulary
    ('and', 'bread', 'no', 'sleep', 'soup')
    >>> Corpus.from_matrix([[2, 0, 1], [0, 3, 0]]).n_tokens
    6
    """

    __slots__ = (
        "_by_word",
        "_doc_lengths",
        "_fingerprint",
        "_handle",
        "_handle_by_word",
        "_length_counts",
        "counts",
        "doc_index",
        "doc_names",
        "doc_offsets",
        "max_count",
        "n_docs",
        "n_entries",
        "n_tokens",
        "n_words",
        "text_settings",
        "vocabulary",
        "word_ids",
    )

    doc_offsets: Ints
    word_ids: Int32s
    counts: Int32s
    n_docs: int
    n_words: int
    n_entries: int
    n_tokens: int
    max_count: int
    vocabulary: tuple[str, ...] | None
    doc_names: tuple[str, ...] | None
    doc_index: DocIndex | None
    text_settings: TextSettings | None
    _by_word: ByWord | None
    _doc_lengths: Ints | None
    _fingerprint: str | None
    _handle: _native.Corpus | None
    _handle_by_word: _native.ByWord | None
    _length_counts: tuple[Ints, Ints] | None

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError(
            "a Corpus cannot be created by calling Corpus: use Corpus.from_matrix(X) or "
            "read_corpus(path)."
        )

    @classmethod
    def from_matrix(
        cls,
        X: Any,
        vocabulary: Iterable[str] | None = None,
        *,
        doc_names: Iterable[str] | None = None,
        text_settings: TextSettings | None = None,
        doc_index: DocIndex | None = None,
    ) -> Corpus:
        """Check a matrix of counts (documents × words) and take a copy of it.

        X may be a SciPy sparse matrix or array of any format, a NumPy array, nested lists, a data
        frame, an AnnData object or a Corpus. Its numbers must be whole and not negative, whatever
        their type. Repeated entries of a sparse matrix are added up as SciPy does, stored zeros are
        dropped, and empty documents and unused words keep their places. X itself is not changed.

        vocabulary names the words, one per column, and doc_names the documents, one per row. By
        default they come from the columns, if these are strings, and the index of a data frame, or
        from a Corpus. text_settings records how texts were split into words, and doc_index their
        index.
        """
        if isinstance(X, Corpus):
            return _renamed(X, vocabulary, doc_names, text_settings)
        if is_anndata(X):
            return cls.from_anndata(X)
        vocabulary = column_names(X) if vocabulary is None else vocabulary
        if doc_names is None:
            doc_index = index_of(X) if doc_index is None else doc_index
            doc_names = row_names(X) if doc_index is None else doc_index.labels
        matrix = as_matrix(X)
        words = None if vocabulary is None else checked_vocabulary(vocabulary, *matrix.shape[::-1])
        names = None if doc_names is None else checked_doc_names(doc_names, matrix.shape[0])
        entries = matrix_entries(matrix)
        arrays = _checked(entries, words)
        return _build(*arrays, entries.n_words, words, names, text_settings, doc_index)

    @classmethod
    def from_anndata(cls, data: Any, layer: str | None = None) -> Corpus:
        """Return the counts of an AnnData object: observations as documents, variables as words.

        ``layer`` names the layer of the counts; without it they are ``data.X``.
        """
        return cls.from_matrix(
            counts_of_anndata(data, layer),
            [str(name) for name in data.var_names],
            doc_names=[str(name) for name in data.obs_names],
        )

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        text_column: str | None = None,
        doc_names: Iterable[str] | None = None,
        vocabulary: Iterable[str] | None = None,
        like: Corpus | None = None,
        **text_settings: Any,
    ) -> Corpus:
        """Count the words of texts in memory, as `read_corpus` counts those of a file.

        texts may be a list of strings, a column of pandas, polars, pyarrow or Hugging Face's
        datasets, or anything that yields strings; missing ones (None, NaN) are empty documents. Of
        a data frame ``text_column`` names the column. ``like`` and the text settings are those of
        `read_corpus`. The index of a Series or data frame is kept.
        """
        # Above this module, which everything else builds on.
        from blocklda.formats.in_memory import chosen_column, corpus_from_texts  # noqa: PLC0415

        column = chosen_column(texts, "text_column", text_column)
        return corpus_from_texts(column, doc_names, vocabulary, like, text_settings)

    @classmethod
    def from_tokens(
        cls,
        documents: Iterable[Iterable[str]],
        *,
        tokens_column: str | None = None,
        doc_names: Iterable[str] | None = None,
        vocabulary: Iterable[str] | None = None,
        like: Corpus | None = None,
        **text_settings: Any,
    ) -> Corpus:
        """Count words that are already split, one list for each document.

        Words are used as they are: no stop words are left out and case is kept, unless
        ``stop_words`` or ``lowercase=True`` is given. ``min_df``, ``max_df``, ``max_words``,
        ``ngrams``, ``phrases``, ``vocabulary`` and ``like`` are those of `read_corpus`. Of a data
        frame ``tokens_column`` names the column; a missing list is an empty document.
        """
        from blocklda.formats.in_memory import chosen_column, corpus_from_tokens  # noqa: PLC0415

        column = chosen_column(documents, "tokens_column", tokens_column)
        return corpus_from_tokens(column, doc_names, vocabulary, like, text_settings)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of shape and arrays, in hexadecimal: equal exactly for equal counts."""
        if self._fingerprint is None:
            object.__setattr__(self, "_fingerprint", _digest(self))
        return str(self._fingerprint)

    def to_matrix(self) -> sparse.csr_matrix[np.int64]:
        """Return a fresh SciPy CSR matrix: int64, sorted indices, no stored zeros."""
        matrix = sparse.csr_matrix(
            (self.counts.astype(np.int64), self.word_ids.copy(), self.doc_offsets.copy()),
            shape=(self.n_docs, self.n_words),
        )
        matrix.has_canonical_format = True
        return matrix

    def by_word(self) -> ByWord:
        """Return the entries ordered by word; made at the first call and kept."""
        if self._by_word is None:
            object.__setattr__(self, "_by_word", _ordered_by_word(self))
        return cast(ByWord, self._by_word)

    @property
    def native(self) -> _native.Corpus:
        """The corpus as the kernels take it, checked once; made at first use and kept."""
        if self._handle is None:
            arrays = (self.doc_offsets, self.word_ids, self.counts)
            object.__setattr__(self, "_handle", _native.Corpus(*arrays, self.n_words))
        return cast(_native.Corpus, self._handle)

    @property
    def native_by_word(self) -> _native.ByWord:
        """The same with words as rows."""
        if self._handle_by_word is None:
            by_word = _native.ByWord(self.native, *self.by_word())
            object.__setattr__(self, "_handle_by_word", by_word)
        return cast(_native.ByWord, self._handle_by_word)

    def doc_lengths(self) -> Ints:
        """Return the number of tokens of each document; added up once, and read-only."""
        if self._doc_lengths is None:
            object.__setattr__(self, "_doc_lengths", sealed(_added_up(self)))
        return cast(Ints, self._doc_lengths)

    def length_counts(self) -> tuple[Ints, Ints]:
        """Return the distinct lengths of documents, ascending, and how many documents have each."""
        if self._length_counts is None:
            found = np.unique(self.doc_lengths(), return_counts=True)
            object.__setattr__(self, "_length_counts", tuple(map(sealed, found)))
        return cast(tuple[Ints, Ints], self._length_counts)

    def word_counts(self) -> Ints:
        """Return the number of tokens of each word."""
        totals = np.zeros(self.n_words)
        # In pieces: bincount makes doubles and long integers of whatever it is given.
        for start in range(0, self.n_entries, _PIECE):
            piece = slice(start, start + _PIECE)
            totals += np.bincount(self.word_ids[piece], self.counts[piece], self.n_words)
        return totals.astype(np.int64)

    def __repr__(self) -> str:
        named = "with vocabulary" if self.vocabulary is not None else "no vocabulary"
        return (
            f"<Corpus: {self.n_docs} documents, {self.n_words} words, {self.n_entries} entries, "
            f"{self.n_tokens} tokens, {named}>"
        )

    def _repr_html_(self) -> str:
        facts = {
            "documents": f"{self.n_docs:,}",
            "words": f"{self.n_words:,}",
            "tokens": f"{self.n_tokens:,}",
            "entries": f"{self.n_entries:,}",
        }
        if self.vocabulary is not None:
            common = np.argsort(-self.word_counts(), kind="stable")[:8]
            facts["most frequent words"] = ", ".join(self.vocabulary[v] for v in common)
        return html_table((), facts.items(), "Corpus")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Corpus):
            return NotImplemented
        return self.vocabulary == other.vocabulary and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash((self.fingerprint, self.vocabulary))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Corpus cannot be changed, so {name!r} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Corpus cannot be changed, so {name!r} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays that travel to another process arrive writable; a new corpus freezes them again.
        arrays = (self.doc_offsets, self.word_ids, self.counts)
        notes = (self.vocabulary, self.doc_names, self.text_settings, self.doc_index)
        return _build, (*arrays, self.n_words, *notes)


def _build(
    doc_offsets: Ints,
    word_ids: Int32s,
    counts: Int32s,
    n_words: int,
    vocabulary: tuple[str, ...] | None,
    doc_names: tuple[str, ...] | None,
    text_settings: TextSettings | None,
    doc_index: DocIndex | None = None,
) -> Corpus:
    """Freeze checked arrays, to which there must be no other reference, into a Corpus."""
    attributes = {
        "doc_offsets": sealed(doc_offsets),
        "word_ids": sealed(word_ids),
        "counts": sealed(counts),
        "n_docs": len(doc_offsets) - 1,
        "n_words": n_words,
        "n_entries": len(counts),
        "n_tokens": int(counts.sum(dtype=np.int64)),
        "max_count": int(counts.max(initial=0)),
        "vocabulary": vocabulary,
        "doc_names": doc_names,
        "doc_index": doc_index,
        "text_settings": text_settings,
        "_by_word": None,
        "_doc_lengths": None,
        "_fingerprint": None,
        "_handle": None,
        "_handle_by_word": None,
        "_length_counts": None,
    }
    corpus = object.__new__(Corpus)
    for name, value in attributes.items():
        object.__setattr__(corpus, name, value)
    return corpus


def _added_up(corpus: Corpus) -> Ints:
    """Return the tokens of each document."""
    lengths = np.zeros(corpus.n_docs, dtype=np.int64)
    filled = np.flatnonzero(np.diff(corpus.doc_offsets))
    if filled.size:
        lengths[filled] = np.add.reduceat(
            corpus.counts, corpus.doc_offsets[:-1][filled], dtype=np.int64
        )
    return lengths


def _ordered_by_word(corpus: Corpus) -> ByWord:
    order = np.argsort(corpus.word_ids, kind="stable")
    word_offsets = np.zeros(corpus.n_words + 1, dtype=np.int64)
    np.cumsum(np.bincount(corpus.word_ids, minlength=corpus.n_words), out=word_offsets[1:])
    docs = np.repeat(np.arange(corpus.n_docs, dtype=np.int32), np.diff(corpus.doc_offsets))
    ends = np.cumsum(corpus.counts, dtype=np.int64)
    starts = (ends - corpus.counts).astype(np.int32)
    return ByWord(
        sealed(word_offsets),
        sealed(docs[order]),
        sealed(corpus.counts[order]),
        sealed(starts[order]),
    )


def _renamed(
    corpus: Corpus,
    vocabulary: Iterable[str] | None,
    doc_names: Iterable[str] | None,
    text_settings: TextSettings | None,
) -> Corpus:
    """Return the same counts with the notes that are given, and its own for those that are not."""
    if vocabulary is None and doc_names is None and text_settings is None:
        return corpus
    words, names, index = corpus.vocabulary, corpus.doc_names, corpus.doc_index
    if vocabulary is not None:
        words = checked_vocabulary(vocabulary, corpus.n_words)
    if doc_names is not None:
        names, index = checked_doc_names(doc_names, corpus.n_docs), None
    arrays = (corpus.doc_offsets, corpus.word_ids, corpus.counts)
    settings = text_settings or corpus.text_settings
    return _build(*arrays, corpus.n_words, words, names, settings, index)


def _digest(corpus: Corpus) -> str:
    digest = hashlib.sha256(np.array([corpus.n_docs, corpus.n_words], dtype="<i8").tobytes())
    digest.update(corpus.doc_offsets.astype("<i8", copy=False).data)
    digest.update(corpus.word_ids.astype("<i4", copy=False).data)
    digest.update(corpus.counts.astype("<i4", copy=False).data)
    return digest.hexdigest()


def _checked(entries: Entries, vocabulary: tuple[str, ...] | None) -> tuple[Ints, Int32s, Int32s]:
    """Refuse what is no count; return fresh arrays of offsets, words and counts without zeros."""
    values = entries.values
    allowed = values >= 0
    if values.dtype.kind == "f":
        allowed &= (values < np.inf) & (np.floor(values) == values)
    if not allowed.all():
        raise _refusal(entries, int(np.argmin(allowed)), vocabulary)
    if values.max(initial=0) > MAX_TOKENS:
        raise _refusal(entries, int(np.argmax(values > MAX_TOKENS)), vocabulary)
    offsets = entries.offsets.astype(np.int64)
    words = entries.words.astype(np.int32)
    counts = values.astype(np.int32)
    stored = counts != 0
    if not stored.all():
        kept_before = np.concatenate([[0], np.cumsum(stored, dtype=np.int64)])
        offsets, words, counts = kept_before[offsets], words[stored], counts[stored]
    n_tokens = int(counts.sum(dtype=np.int64))
    if n_tokens > MAX_TOKENS:
        raise CapacityError(
            f"the corpus has {n_tokens} tokens, but at most {MAX_TOKENS} can be counted; use fewer "
            "documents or drop the most frequent words."
        )
    return offsets, words, counts


def _refusal(entries: Entries, i: int, vocabulary: tuple[str, ...] | None) -> BlockldaError:
    """Make the error for entry i: where it is, what it is, what is allowed, what to do."""
    row = int(np.searchsorted(entries.offsets, i, side="right")) - 1
    column = int(entries.words[i])
    name = "" if vocabulary is None else f" ({vocabulary[column]!r})"
    value = entries.values[i]
    given = f"document (row) {row}, word (column) {column}{name} has the count {value}"
    if np.isnan(value):
        return InputError(
            f"NaN is not a count: {given}; counts are whole numbers from 0: fill or drop missing "
            "values."
        )
    if np.isinf(value):
        return InputError(
            f"{given}; counts must be finite whole numbers from 0: correct the value."
        )
    if value < 0:
        return InputError(
            f"Negative values in data: {given}; counts must be whole numbers from 0: correct the "
            "value."
        )
    if value > MAX_TOKENS:
        return CapacityError(
            f"{given}, but at most {MAX_TOKENS} can be counted; scale the counts down or leave the "
            "word out."
        )
    return InputError(
        f"{given}; counts must be whole numbers, and fractions look like TF-IDF weights or "
        "normalised frequencies: pass raw counts, for example from CountVectorizer."
    )
