"""Where a word is: how its tokens are spread over topics, and how topics go together."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np

from blocklda.results.result import FitResult, require_draws
from blocklda.summaries.intervals import Estimates, draw_estimates
from blocklda.support import defaults
from blocklda.support.arrays import Floats
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["topic_correlations", "word_column", "word_shares"]


def word_column(model: FitResult, word: Any) -> int:
    """Return the column of a word, given by its name or its number."""
    corpus = model.corpus
    if not isinstance(word, str):
        return whole_number("word", word, 0, corpus.n_words - 1)
    words = model.words
    if word in words:
        return words.index(word)
    close = difflib.get_close_matches(word, words, n=3)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "check its spelling."
    raise InputError(f"the word {word!r:.80} is not in the model; {hint}")


def word_shares(model: FitResult, column: int, interval: float = defaults.INTERVAL) -> Estimates:
    """Return which share of a word's tokens each topic has, n_vk / n_v, over the draws."""
    require_draws(model.draws, "word_topics")
    by_word = model.corpus.by_word()
    entries = slice(by_word.word_offsets[column], by_word.word_offsets[column + 1])
    counts, starts = by_word.counts[entries], by_word.starts[entries]
    if not len(counts):
        raise InputError(f"the word in column {column} does not occur in the training documents.")
    tokens = np.concatenate(
        [np.arange(first, first + n) for first, n in zip(starts, counts, strict=True)]
    )
    rows = [
        np.bincount(draw.topics[tokens], minlength=model.n_topics) / len(tokens)
        for draw in model.reference_draws
    ]
    return draw_estimates(np.array(rows), interval)


def topic_correlations(model: FitResult) -> Floats:
    """Return how the shares of two topics go together over documents, shape (topics, topics).

    The correlation of n_dk / N_d over documents that have tokens, averaged over the draws of the
    reference chain. Shares sum to 1, so that unrelated topics are slightly negative.
    """
    require_draws(model.draws, "topic_correlations")
    lengths = model.corpus.doc_lengths()
    filled = np.flatnonzero(lengths)
    if len(filled) < 2:
        raise InputError("correlations over documents need at least two documents with words.")
    total = np.zeros((model.n_topics, model.n_topics))
    for draw in model.reference_draws:
        shares = draw.doc_topic_counts()[filled] / lengths[filled, None]
        centred = shares - shares.mean(axis=0)
        spread = np.sqrt((centred**2).mean(axis=0))
        with np.errstate(invalid="ignore", divide="ignore"):
            total += centred.T @ centred / len(filled) / np.outer(spread, spread)
    return total / len(model.reference_draws)
