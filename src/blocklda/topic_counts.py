"""Counts of topics per document and per word: what every state and every draw has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blocklda.corpus import Corpus
from blocklda.priors import Priors

__all__ = ["TopicCounts"]


class TopicCounts:
    """The paper's counts of an assignment of topics to the tokens of a corpus.

    ``topics`` holds one topic per token, grouped by entry of the corpus.
    """

    corpus: Corpus
    priors: Priors
    topics: NDArray[np.integer]

    def token_docs(self) -> NDArray[np.int64]:
        """Return the document of every token."""
        return np.repeat(np.arange(self.corpus.n_docs), self.corpus.doc_lengths())

    def token_words(self) -> NDArray[np.int32]:
        """Return the word of every token."""
        return np.repeat(self.corpus.word_ids, self.corpus.counts)

    def doc_topic_counts(self) -> NDArray[np.int64]:
        """Return n_dk, shape (D, K)."""
        return _cross_table(self.token_docs(), self.topics, self.corpus.n_docs, self._n_topics)

    def doc_topic_counts_of(self, docs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of n_dk of some documents, from their tokens only."""
        lengths = self.corpus.doc_lengths()
        ends = np.cumsum(lengths)[docs]
        lengths = lengths[docs]
        # The tokens of a document are neighbours; each run of them is shifted to where it stands.
        tokens = np.repeat(ends - np.cumsum(lengths), lengths) + np.arange(lengths.sum())
        rows = np.repeat(np.arange(len(docs)), lengths)
        return _cross_table(rows, self.topics[tokens], len(docs), self._n_topics)

    def word_topic_counts(self) -> NDArray[np.int64]:
        """Return n_vk, shape (V, K)."""
        return _cross_table(self.token_words(), self.topics, self.corpus.n_words, self._n_topics)

    def topic_counts(self) -> NDArray[np.int64]:
        """Return n_k, shape (K,)."""
        return np.bincount(self.topics, minlength=self._n_topics)

    @property
    def _n_topics(self) -> int:
        return self.priors.n_topics


def _cross_table(
    rows: NDArray[np.integer], columns: NDArray[np.integer], n_rows: int, n_columns: int
) -> NDArray[np.int64]:
    cells = rows.astype(np.int64) * n_columns
    cells += columns
    return np.bincount(cells, minlength=n_rows * n_columns).reshape(n_rows, n_columns)
