"""How well one draw predicts some words of the corpus: a number that settles when the fit has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.token_pairs import runs
from blocklda.models.lda.topic_counts import TopicCounts
from blocklda.support.arrays import AnyInts, Floats, Ints

__all__ = ["WatchedWords"]

SHARE, LEAST, MOST = 0.05, 40_000, 400_000
"""Tokens of watched documents, and of watched words, that are counted at each draw, as a share of
all and within limits. They cost about a hundredth of the four sweeps between two draws."""

MAX_ENTRIES = 2_000
"""Entries that are predicted."""

ENTRIES_AT_ONCE = 2**18
"""Entries that are looked at together: 10 MB of tables."""

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
    _docs: Ints
    """The row of the document of every entry."""
    _of_words: Ints
    """The row of its word."""
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
        pieces = [
            _piece(corpus, docs_of_piece, doc_row, word_row)
            for docs_of_piece in _pieces(corpus.doc_offsets)
        ]
        doc_tokens, doc_rows, word_tokens, word_rows, pairs, sizes = (
            np.concatenate(parts) for parts in zip(*pieces, strict=True)
        )
        if len(pairs) > MAX_ENTRIES:
            shuffled = np.argsort(rng.random(len(pairs)), kind="stable")
            kept = np.sort(shuffled[:MAX_ENTRIES])
            pairs, sizes = pairs[kept], sizes[kept]
        # In the type and order that counting them wants, which happens at every draw.
        docs, of_words = np.ascontiguousarray(pairs.T)
        return cls(doc_tokens, doc_rows, word_tokens, word_rows, docs, of_words, words, sizes)

    @property
    def tokens(self) -> Ints:
        """The tokens whose topics are looked at."""
        return np.concatenate([self._doc_tokens, self._word_tokens])

    def log_predictive(self, draw: TopicCounts) -> float:
        """Return the mean log probability of a watched token given θ and φ of a draw, in nats.

        NaN where the corpus has no such tokens.
        """
        if not len(self._docs):
            return float("nan")
        priors, n_topics = draw.priors, draw.priors.n_topics
        n_dk = _table(draw.topics[self._doc_tokens], self._doc_rows, n_topics)
        n_vk = _table(draw.topics[self._word_tokens], self._word_rows, n_topics)
        theta: Floats = n_dk + priors.alpha
        theta /= theta.sum(axis=1, keepdims=True)
        theta /= draw.topic_counts() + priors.beta_sum
        beta = priors.beta if priors.beta_is_symmetric else priors.beta[self._words]
        shares: Floats = n_vk + beta
        of_docs, of_words = theta.take(self._docs, axis=0), shares.take(self._of_words, axis=0)
        logs = np.log(np.einsum("ek,ek->e", of_docs, of_words))
        return float((self._counts * logs).sum() / self._counts.sum())


def _pieces(doc_offsets: Ints) -> Iterator[tuple[int, int]]:
    """Yield runs of documents: tables as long as the corpus would take more than the fit does."""
    first = 0
    while first < len(doc_offsets) - 1:
        limit = doc_offsets[first] + ENTRIES_AT_ONCE
        last = max(first + 1, int(np.searchsorted(doc_offsets, limit, side="right")) - 1)
        yield first, last
        first = last


def _piece(
    corpus: Corpus, docs: tuple[int, int], doc_row: Ints, word_row: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Return tokens and rows of watched documents and of watched words, and what both share."""
    first, last = docs
    entries = slice(corpus.doc_offsets[first], corpus.doc_offsets[last])
    sizes = corpus.counts[entries].astype(np.int64)
    before = int(corpus.counts[: entries.start].sum(dtype=np.int64))
    starts = before + np.cumsum(sizes) - sizes
    of_doc = np.repeat(doc_row[first:last], np.diff(corpus.doc_offsets[first : last + 1]))
    rows = np.column_stack([of_doc, word_row[corpus.word_ids[entries]]])
    found: list[Ints] = []
    for side in (0, 1):
        chosen = np.flatnonzero(rows[:, side] >= 0)
        tokens, of_token = (
            runs(starts[chosen], sizes[chosen]),
            np.repeat(rows[chosen, side], sizes[chosen]),
        )
        found += [tokens, of_token]
    both = np.flatnonzero((rows >= 0).all(axis=1))
    return found[0], found[1], found[2], found[3], rows[both], sizes[both]


def _within_budget(sizes: Ints, budget: float, rng: np.random.Generator) -> Ints:
    """Return rows in random order, without empty ones, whose tokens together fit the budget.

    A row larger than the budget is never among them.
    """
    order = np.argsort(rng.random(len(sizes)), kind="stable")
    order = order[(sizes[order] > 0) & (sizes[order] <= budget)]
    return np.asarray(order[np.cumsum(sizes[order]) <= budget])


def _table(topics: AnyInts, rows: Ints, n_topics: int) -> Ints:
    n_rows = int(rows.max()) + 1
    cells = rows * n_topics
    cells += topics
    return np.bincount(cells, minlength=n_rows * n_topics).reshape(n_rows, n_topics)
