"""Topics that no longer change, laid out for what is asked of new documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors, pad_to_lanes, padded_length
from blocklda.support.arrays import Floats, Int32s
from blocklda.support.distributions import check_distributions
from blocklda.support.errors import InputError, KernelError
from blocklda.support.memory import require_memory

__all__ = ["FrozenTopics", "TopicTables", "topic_sets"]


@dataclass(frozen=True, eq=False)
class TopicTables(Sequence[Floats]):
    """One or more φ of all words, laid out once for many calls.

    ``table`` has shape (number of φ, words, topics padded to whole lanes). As a sequence it holds
    the matrices (topics, words).
    """

    table: Floats
    n_topics: int

    @classmethod
    def create(cls, sets: Sequence[Floats]) -> TopicTables:
        """Lay out matrices (topics, words), as a model has them."""
        n_topics, n_words = sets[0].shape
        table = np.zeros((len(sets), n_words, padded_length(n_topics)))
        for number in range(len(sets)):
            table[number, :, :n_topics] = sets[number].T
        return cls(table, n_topics)

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, index: int) -> Floats: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Floats]: ...

    def __getitem__(self, index: int | slice) -> Floats | Sequence[Floats]:
        if isinstance(index, slice):
            return TopicTables(self.table[index], self.n_topics)
        return self.table[index, :, : self.n_topics].T


@dataclass(frozen=True)
class FrozenTopics:
    """φ of the words that some documents have, and α, as the kernels read them.

    ``phi`` has shape (number of φ, words, topics padded to whole lanes), and ``rows[e]`` is the row
    of entry e's word. Unless the table was there already, words that do not occur take no room.
    """

    corpus: Corpus
    phi: Floats
    rows: Int32s
    alpha: Floats
    n_topics: int

    @classmethod
    def create(cls, corpus: Corpus, sets: Sequence[Any], alpha: ArrayLike) -> FrozenTopics:
        """Check and lay out one or more φ (topics, words) and α."""
        if len(sets) == 0:
            raise InputError("topic_word is an empty sequence: give at least one matrix.")
        if isinstance(sets, TopicTables):
            _require_same_words(sets.table.shape[1], corpus)
            return cls(
                corpus, sets.table, corpus.word_ids, _alpha_row(alpha, sets.n_topics), sets.n_topics
            )
        used = np.flatnonzero(np.bincount(corpus.word_ids, minlength=corpus.n_words))
        first = _checked(sets[0], corpus)
        n_topics = len(first)
        padded = padded_length(n_topics)
        require_memory(
            8 * (len(sets) + 1) * len(used) * padded,
            f"φ of {len(used):,} words and {n_topics:,} topics, {len(sets)} times,",
            "use fewer topics, fewer draws of φ, or documents with fewer different words",
        )
        alpha_row = _alpha_row(alpha, n_topics)
        phi = np.zeros((len(sets), len(used), padded))
        for number, matrix in enumerate(sets):
            topic_word = first if number == 0 else _checked(matrix, corpus)
            if len(topic_word) != n_topics:
                raise InputError(
                    f"topic_word[{number}] has {len(topic_word)} topics, the first one "
                    f"{n_topics}: all must be draws of one model."
                )
            topic_word.T.take(used, axis=0, out=phi[number, :, :n_topics], mode="clip")
            impossible = np.flatnonzero(topic_word.max(axis=0)[used] == 0)
            if impossible.size:
                raise InputError(
                    f"word (column) {used[impossible[0]]} occurs in the documents, but topic_word "
                    "gives it the probability 0 in every topic: leave the word out, or smooth "
                    "topic_word."
                )
        row_of = np.zeros(corpus.n_words, dtype=np.int32)
        row_of[used] = np.arange(len(used), dtype=np.int32)
        return cls(corpus, phi, row_of[corpus.word_ids], alpha_row, n_topics)

    def entries(self, d: int) -> slice:
        """Return where the entries of document ``d`` are."""
        return slice(int(self.corpus.doc_offsets[d]), int(self.corpus.doc_offsets[d + 1]))

    def raise_if_failed(self, d: int, failed_entry: int) -> None:
        """Turn a kernel's report on document ``d`` into an error that names the word."""
        if failed_entry >= 0:
            word = int(self.corpus.word_ids[self.corpus.doc_offsets[d] + failed_entry])
            raise KernelError(
                f"the topics' weights for word {word} in document {d} are not positive numbers: "
                "alpha times topic_word is outside the range of double precision."
            )


def topic_sets(topic_word: Any) -> Sequence[Any]:
    """Return ``topic_word`` as a sequence of matrices (topics, words): one, or several draws."""
    if isinstance(topic_word, np.ndarray):
        several = topic_word.ndim == 3
    else:
        several = (
            isinstance(topic_word, Sequence) and len(topic_word) > 0 and np.ndim(topic_word[0]) == 2
        )
    return topic_word if several else [topic_word]


def _checked(topic_word: Any, corpus: Corpus) -> Floats:
    """Return φ (topics, words) that fits the documents, or say why it does not."""
    phi = check_distributions("topic_word", topic_word)
    _require_same_words(phi.shape[1], corpus)
    return phi


def _require_same_words(n_words: int, corpus: Corpus) -> None:
    if n_words != corpus.n_words:
        raise InputError(
            f"topic_word has {n_words} words (columns), the documents have {corpus.n_words}: both "
            "must have the same vocabulary, in the same order."
        )


def _alpha_row(alpha: ArrayLike, n_topics: int) -> Floats:
    """Return α, checked and padded to whole lanes."""
    row: Floats = pad_to_lanes(Priors.create(n_topics, 1, alpha, 1.0).alpha[None])[0]
    return row
