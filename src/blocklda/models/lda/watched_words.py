"""How well one draw predicts some words of the corpus: a number that settles when the fit has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.token_pairs import runs
from blocklda.models.lda.topic_counts import TopicCounts
from blocklda.support.arrays import AnyInts, Floats, Ints

__all__ = ["WatchedWords"]

SHARE, LEAST, MOST = 0.1, 40_000, 1_000_000
"""Tokens of watched documents, and of watched words, that are counted at each draw, as a share of
all and within limits. They cost about a hundredth of the four sweeps between two draws."""

MAX_ENTRIES = 2_000
"""Entries that are predicted."""

SEED = 20_240_117
"""Any fixed number: the choice depends on nothing but the corpus's counts."""


@dataclass(frozen=True, eq=False)
class WatchedWords:
    """Entries (document, word) whose probability Σ_k θ_dk φ_kv is followed from draw to draw.

    They are fixed before a chain starts: the entries that some documents and some words have in
    common, both picked at random among those that do not exceed the budget of tokens.
    """

    _doc_tokens: Ints
    """Where the tokens of the watched documents are."""
    _doc_rows: Ints
    """The row of the table n_dk that each of them counts in."""
    _word_tokens: Ints
    _word_rows: Ints
    _pairs: Ints
    """Row of the document and row of the word of every entry, shape (entries, 2)."""
    _words: Ints
    """The word of every row of the table n_vk."""
    _counts: Ints
    """How many tokens each entry has."""

    @classmethod
    def choose(cls, corpus: Corpus) -> WatchedWords:
        """Choose entries; the same counts always give the same ones."""
        rng = np.random.Generator(np.random.PCG64(SEED))
        budget = min(max(SHARE * corpus.n_tokens, LEAST), MOST)
        docs = _within_budget(corpus.doc_lengths(), budget, rng)
        words = _within_budget(corpus.word_counts(), budget, rng)
        doc_row = np.full(corpus.n_docs, -1, dtype=np.int64)
        doc_row[docs] = np.arange(len(docs))
        word_row = np.full(corpus.n_words, -1, dtype=np.int64)
        word_row[words] = np.arange(len(words))
        rows = np.column_stack(
            [np.repeat(doc_row, np.diff(corpus.doc_offsets)), word_row[corpus.word_ids]]
        )
        sizes = corpus.counts.astype(np.int64)
        starts = np.cumsum(sizes) - sizes
        of_docs, of_words = (np.flatnonzero(rows[:, side] >= 0) for side in (0, 1))
        entries = np.intersect1d(of_docs, of_words, assume_unique=True)
        if len(entries) > MAX_ENTRIES:
            shuffled = np.argsort(rng.random(len(entries)), kind="stable")
            entries = np.sort(entries[shuffled[:MAX_ENTRIES]])
        return cls(
            runs(starts[of_docs], sizes[of_docs]),
            np.repeat(rows[of_docs, 0], sizes[of_docs]),
            runs(starts[of_words], sizes[of_words]),
            np.repeat(rows[of_words, 1], sizes[of_words]),
            rows[entries],
            words,
            sizes[entries],
        )

    def log_predictive(self, draw: TopicCounts) -> float:
        """Return the mean log probability of a watched token given θ and φ of a draw, in nats.

        NaN where the corpus has no such tokens.
        """
        if not len(self._pairs):
            return float("nan")
        priors, n_topics = draw.priors, draw.priors.n_topics
        n_dk = _table(draw.topics[self._doc_tokens], self._doc_rows, n_topics)
        n_vk = _table(draw.topics[self._word_tokens], self._word_rows, n_topics)
        theta: Floats = n_dk + priors.alpha
        theta /= theta.sum(axis=1, keepdims=True)
        theta /= draw.topic_counts() + priors.beta_sum
        beta = priors.beta if priors.beta_is_symmetric else priors.beta[self._words]
        shares: Floats = n_vk + beta
        docs, words = self._pairs.T
        logs = np.log(np.einsum("ek,ek->e", theta[docs], shares[words]))
        return float((self._counts * logs).sum() / self._counts.sum())


def _within_budget(sizes: Ints, budget: float, rng: np.random.Generator) -> Ints:
    """Return rows in random order, without empty ones, whose tokens together fit the budget.

    A row larger than the budget is never among them.
    """
    order = np.argsort(rng.random(len(sizes)), kind="stable")
    order = order[(sizes[order] > 0) & (sizes[order] <= budget)]
    return np.asarray(order[np.cumsum(sizes[order]) <= budget])


def _table(topics: AnyInts, rows: Ints, n_topics: int) -> Ints:
    n_rows = int(rows.max()) + 1
    cells = rows * n_topics + topics
    return np.bincount(cells, minlength=n_rows * n_topics).reshape(n_rows, n_topics)
