"""From rows of ids and counts, which do not say how many words there are, to a corpus and back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.formats.numbers.count_rows import Rows
from blocklda.formats.words.vocabulary import corpus_of, vocabulary_places, words_beside
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.memory import require_memory

__all__ = ["refuse_unseen_words", "rows_corpus"]

# One counter, and two while they are summed up.
_BYTES_PER_WORD = 24


def rows_corpus(path: Path, rows: Rows, first_id: int, vocabulary: Iterable[str] | None) -> Corpus:
    """Make a corpus of as many words as the vocabulary has, or else up to the largest id."""
    words, place = words_beside(vocabulary, vocabulary_places(path))
    largest = int(rows.ids.max(initial=first_id - 1)) - first_id
    n_words = largest + 1 if words is None else len(words)
    if largest >= n_words:
        entry = int(np.argmax(rows.ids - first_id >= n_words))
        found = (
            f"{path}, line {rows.line_of(entry)}: the id {rows.ids[entry]} was found, but "
            f"{place or 'the vocabulary'} has {n_words} words, so ids are from {first_id} to "
            f"{n_words - 1 + first_id}"
        )
        raise FileFormatError.of(
            "{found}; [put the right vocabulary there or pass it as {vocabulary=}]."
        ).where(found=found)
    if n_words == 0:
        raise FileFormatError.of(
            "{path}, line 1: no document has a word, so the number of words is unknown; [pass "
            "{vocabulary=}]."
        ).where(path=path)
    require_memory(
        _BYTES_PER_WORD * n_words,
        f"{path}: a corpus of {n_words} words",
        "number the words without gaps, or use a machine with more memory",
    )
    # In place, since there is no other reference to the ids.
    ids = np.subtract(rows.ids, np.int32(first_id), out=rows.ids)
    matrix = sparse.csr_matrix((rows.counts, ids, rows.offsets), shape=(len(rows.lines), n_words))
    return corpus_of(path, matrix, words)


def refuse_unseen_words(corpus: Corpus, path: Path, what: str) -> None:
    """Refuse a corpus whose last words cannot be known from the file alone."""
    largest = int(corpus.word_ids.max(initial=-1))
    if corpus.vocabulary is None and largest < corpus.n_words - 1:
        raise InputError(
            f"cannot write {path}: the words from {largest + 1} on occur in no document, and "
            f"{what} without a vocabulary cannot store them; give the corpus a vocabulary, or use "
            "another format."
        )
