"""Topics that no longer change, laid out for what is asked of new documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from blocklda.corpus import Corpus
from blocklda.distributions import check_distributions
from blocklda.errors import InputError, KernelError
from blocklda.memory import require_memory_if_large
from blocklda.priors import LANES, Priors, pad_to_lanes, padded_length

__all__ = ["FrozenTopics", "check_topics", "topic_sets"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class FrozenTopics:
    """φ of the words that some documents have, and α, as the kernels read them.

    ``phi`` has one row per word that occurs, padded to whole lanes, and ``prior_weights`` Σ_k α_k
    φ_kv of each; ``rows[e]`` is the row of entry e's word. Words that do not occur take no room.
    """

    corpus: Corpus
    phi: FloatArray
    prior_weights: FloatArray
    rows: NDArray[np.int32]
    alpha: FloatArray
    n_topics: int

    @classmethod
    def create(cls, corpus: Corpus, topic_word: FloatArray, alpha: FloatArray) -> FrozenTopics:
        """Lay out φ (topics, words) and α (topics,), both checked."""
        n_topics = len(alpha)
        used = np.flatnonzero(np.bincount(corpus.word_ids, minlength=corpus.n_words))
        require_memory_if_large(
            8 * len(used) * (padded_length(n_topics) + n_topics),
            f"φ of {len(used):,} words and {n_topics:,} topics",
            "pass fewer documents at a time or use fewer topics",
        )
        row_of = np.zeros(corpus.n_words, dtype=np.int32)
        row_of[used] = np.arange(len(used), dtype=np.int32)
        rows = topic_word.T
        phi = pad_to_lanes(rows if len(used) == corpus.n_words else rows.take(used, axis=0))
        padded_alpha = pad_to_lanes(alpha[None])[0]
        prior_weights = _sums_in_pairs(phi, padded_alpha)
        impossible = np.flatnonzero(prior_weights == 0)
        if impossible.size:
            word = int(used[impossible[0]])
            raise InputError(
                f"word (column) {word} occurs in the documents, but topic_word gives it the "
                "probability 0 in every topic: leave the word out, or smooth topic_word."
            )
        return cls(corpus, phi, prior_weights, row_of[corpus.word_ids], padded_alpha, n_topics)

    def entries(self, d: int) -> slice:
        """Return where the entries of document ``d`` are."""
        return slice(int(self.corpus.doc_offsets[d]), int(self.corpus.doc_offsets[d + 1]))

    def raise_if_failed(self, d: int, failed_entry: int) -> None:
        """Turn a kernel's report on document ``d`` into an error that names the word."""
        if failed_entry >= 0:
            word = int(self.corpus.word_ids[self.corpus.doc_offsets[d] + failed_entry])
            raise KernelError(
                f"the topics' weights for word {word} in document {d} are no positive numbers: "
                "alpha times topic_word is outside the range that double precision can hold."
            )


def _sums_in_pairs(rows: FloatArray, factors: FloatArray) -> FloatArray:
    """Return Σ_k rows_k · factors_k, added as the kernels do: in lanes, then lanes in pairs."""
    lanes = np.zeros((len(rows), LANES))
    for first in range(0, len(factors), LANES):
        lanes += rows[:, first : first + LANES] * factors[first : first + LANES]
    total = np.zeros(len(rows))
    for lane in range(0, LANES, 2):
        total += lanes[:, lane] + lanes[:, lane + 1]
    return total


def topic_sets(topic_word: Any) -> Sequence[Any]:
    """Return ``topic_word`` as a sequence of matrices (topics, words): one, or several draws."""
    if isinstance(topic_word, np.ndarray):
        several = topic_word.ndim == 3
    else:
        several = (
            isinstance(topic_word, Sequence) and len(topic_word) > 0 and np.ndim(topic_word[0]) == 2
        )
    return topic_word if several else [topic_word]


def check_topics(
    topic_word: Any, alpha: ArrayLike, corpus: Corpus
) -> tuple[FloatArray, FloatArray]:
    """Return φ (topics, words) and α (topics,) that fit the documents, or say why they do not."""
    phi = check_distributions("topic_word", topic_word)
    if phi.shape[1] != corpus.n_words:
        raise InputError(
            f"topic_word has {phi.shape[1]} words (columns), the documents have {corpus.n_words}: "
            "both must have the same vocabulary, in the same order."
        )
    return phi, Priors.create(phi.shape[0], 1, alpha, 1.0).alpha
