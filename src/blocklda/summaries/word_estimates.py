"""How probable words are in topics, with credible intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.draw import Draw
from blocklda.results.stability import Alignment
from blocklda.results.trace import Trace
from blocklda.summaries.beta_mixtures import beta_mixture_interval
from blocklda.summaries.intervals import Estimates, check_interval
from blocklda.support.arrays import AnyInts, Floats, Int32s, Ints
from blocklda.support.errors import InputError

__all__ = ["WordCounts", "word_estimates"]

CELLS_AT_ONCE = 2**22
"""Cells (word, topic) that are counted together: 32 MB of counters."""


@dataclass(frozen=True, eq=False)
class WordCounts:
    """The tokens of the words that ``words`` (topics, places) names, found once for all draws."""

    _rows: Ints
    """For each topic and place, the number of its word among the different words."""
    _tokens: Int32s
    """Where the tokens of these words are, word after word."""
    _ends: Ints
    """Where the tokens of each word end among them."""

    @classmethod
    def create(cls, corpus: Corpus, words: Ints) -> WordCounts:
        """Find the tokens of the words."""
        different, rows = np.unique(words, return_inverse=True)
        by_word = corpus.by_word()
        entries = np.concatenate(
            [np.arange(by_word.word_offsets[v], by_word.word_offsets[v + 1]) for v in different]
        )
        sizes = by_word.counts[entries].astype(np.int64)
        ends = np.cumsum(sizes)
        shifts = by_word.starts[entries] - (ends - sizes)
        tokens = np.repeat(shifts, sizes)
        tokens += np.arange(len(tokens))
        n_entries = np.diff(by_word.word_offsets)[different]
        word_ends = np.concatenate([[0], ends])[np.cumsum(n_entries)]
        return cls(rows.reshape(words.shape), tokens.astype(np.int32), word_ends)

    def of(self, topics: AnyInts, partners: Ints, n_topics: int) -> Ints:
        """Return how many tokens of each of topic k's words have the topic ``partners[k]``.

        ``topics`` holds one topic per token of the corpus, of ``n_topics`` that there are.
        """
        result = np.empty(self._rows.shape, dtype=np.int64)
        at_once = max(1, CELLS_AT_ONCE // n_topics)
        starts = np.concatenate([[0], self._ends])
        for first in range(0, len(self._ends), at_once):
            last = min(first + at_once, len(self._ends))
            sizes = np.diff(starts[first : last + 1])
            cells = np.repeat(np.arange(last - first) * n_topics, sizes)
            cells += topics[self._tokens[starts[first] : starts[last]]]
            table = np.bincount(cells, minlength=(last - first) * n_topics)
            k, place = np.nonzero((self._rows >= first) & (self._rows < last))
            result[k, place] = table[(self._rows[k, place] - first) * n_topics + partners[k]]
        return result


TOPICS_AT_ONCE = 16
"""Topics whose intervals are computed together: what a quantile takes in memory grows with them."""


def word_estimates(
    draws: Iterable[Draw],
    trace: Trace,
    alignment: Alignment,
    topic_word: Floats,
    columns: Ints,
    interval: float,
) -> Estimates:
    """Return φ_kv of the words in ``columns`` (topics, places), of the same shape.

    Given a draw, φ_kv is distributed as Beta(n_vk + β_kv, n_k + Σ_v β_kv − n_vk − β_kv). The mean
    is that of ``topic_word``, over all draws of the reference chain. The interval is that of the
    mixture of these distributions over the kept draws of every chain that found the topic, the
    reference chain among them: a partner that is another topic would say nothing about this one.
    """
    alphas, betas, chains = [], [], []
    counts: WordCounts | None = None
    for draw in draws:
        if counts is None:
            counts = WordCounts.create(draw.corpus, columns)
        partners = np.maximum(alignment.order[draw.chain], 0)
        at = int(np.searchsorted(trace.sweeps, draw.sweep))
        beta = draw.priors.beta
        prior = beta[0, partners][:, None] if len(beta) == 1 else beta[columns, partners[:, None]]
        first = counts.of(draw.topics, partners, draw.priors.n_topics) + prior
        totals = trace.topic_sizes[draw.chain, at, partners] + draw.priors.beta_sum[partners]
        alphas.append(first)
        betas.append(totals[:, None] - first)
        chains.append(draw.chain)
    if counts is None:
        raise InputError("there are no draws to summarise: make some first.")
    firsts, seconds = np.array(alphas), np.array(betas)
    weights = alignment.found[chains].astype(np.float64)
    weights /= weights.sum(axis=0)
    ends = [
        _ends(firsts[:, piece], seconds[:, piece], weights[:, piece], interval)
        for piece in (slice(k, k + TOPICS_AT_ONCE) for k in range(0, len(columns), TOPICS_AT_ONCE))
    ]
    means = np.take_along_axis(topic_word, columns, axis=1)
    return Estimates(means, *map(np.concatenate, zip(*ends, strict=True)))


def _ends(
    firsts: Floats, seconds: Floats, weights: Floats, interval: float
) -> tuple[Floats, Floats]:
    # Where one word has all there is, nothing would be left by rounding.
    tiny = np.finfo(np.float64).tiny
    has_all = (seconds <= tiny).all(axis=0)
    of_words = np.broadcast_to(weights[:, :, None], firsts.shape)
    low, high = beta_mixture_interval(
        firsts, np.maximum(seconds, tiny), check_interval(interval), of_words
    )
    return np.where(has_all, 1.0, low), np.where(has_all, 1.0, high)
