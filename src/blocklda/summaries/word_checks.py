"""Does the model fit? Posterior predictive checks of topics, by Mimno and Blei (2011).

Within a topic the model draws words without regard to documents. So, given the topics of tokens,
the words of a topic's tokens could as well stand in any other order: what is observed is compared
with the same tokens after a shuffle within each topic. The measure is the mutual information of
word and document among the tokens of a topic. It is large where a topic uses other words in some
documents than in others: because two themes share it, or because words that were used once are used
again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.results.result import FitResult, require_draws
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import random_generator, whole_number

__all__ = [
    "MOST_DRAWS",
    "N_REPLICATES",
    "TopicChecks",
    "check_draw",
    "check_topics",
    "n_log_n",
    "word_information",
]

N_REPLICATES = 20
"""Shuffles of each draw; with eight draws a probability is then known to 0.04 or better."""

MOST_DRAWS = 8


@dataclass(frozen=True, eq=False)
class TopicChecks:
    """How far the word use of each topic depends on documents; arrays of the shape (topics,).

    Attributes
    ----------
    observed
        Mutual information of word and document among the tokens of a topic, in nats, averaged over
        draws; NaN for a topic without tokens.
    expected
        The same after shuffling: what the model expects.
    deviation
        The difference in standard deviations of the shuffled ones.
    p_value
        Share of the shuffled ones that are at least as large as the observed one.
    """

    observed: Floats
    expected: Floats
    deviation: Floats
    p_value: Floats

    def order(self) -> list[int]:
        """Return the topics, the largest deviation first."""
        found: list[int] = np.argsort(-self.deviation, kind="stable").tolist()
        return found

    def rows(self) -> list[dict[str, float]]:
        """Return the numbers of each topic."""
        names = ("observed", "expected", "deviation", "p_value")
        columns = (getattr(self, name).tolist() for name in names)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def check_topics(
    model: FitResult,
    n_replicates: int = N_REPLICATES,
    seed: Any = defaults.SEED,
    most_draws: int = MOST_DRAWS,
) -> TopicChecks:
    """Compare the words of each topic with a shuffle over its tokens, in several draws.

    If data are from the model, the p-value of a single draw is uniform: given the topics of tokens,
    the observed order of words within a topic is one of all orders, each as probable. Averages over
    draws concentrate around one half.
    """
    require_draws(model.draws, "posterior_predictive_check")
    n_replicates = whole_number("n_replicates", n_replicates, 2)
    generator = random_generator(seed)
    draws = model.reference_draws
    chosen = draws[:: -(-len(draws) // most_draws)]
    found = [check_draw(draw, n_replicates, generator) for draw in chosen]
    with np.errstate(invalid="ignore"):
        observed, expected, deviation, p_value = (
            np.array(part).mean(axis=0) for part in zip(*found, strict=True)
        )
    return TopicChecks(observed, expected, deviation, p_value)


def check_draw(
    draw: Draw, n_replicates: int, generator: np.random.Generator
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return what `TopicChecks` has, of a single draw."""
    observed, shuffled = word_information(draw, n_replicates, generator)
    mean, spread = shuffled.mean(axis=0), shuffled.std(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.where(spread > 0, (observed - mean) / spread, 0.0)
    # The observed order is one of the orders: without it no probability could be 0 by chance.
    p_value = (1 + (shuffled >= observed - 1e-12).sum(axis=0)) / (1 + n_replicates)
    return observed, mean, deviation, p_value


def word_information(
    draw: Draw, n_replicates: int, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the mutual information of word and document in each topic, and of shuffled words.

    Shapes (topics,) and (replicates, topics), in nats; NaN for a topic without tokens.
    """
    topics = draw.topics.astype(np.int64)
    docs, words = draw.token_docs().astype(np.int64), draw.token_words().astype(np.int64)
    n_topics, n_words = draw.priors.n_topics, draw.corpus.n_words
    # By topic, so that the tokens of one can be shuffled in place.
    order = np.argsort(topics, kind="stable")
    topics, docs, words = topics[order], docs[order], words[order]
    cells = topics * draw.corpus.n_docs + docs
    sizes = np.bincount(topics, minlength=n_topics)
    ends = np.cumsum(sizes)
    # Shuffling changes neither the tokens of a topic in a document nor those of a word in it.
    fixed = (
        n_log_n(cells, draw.corpus.n_docs, n_topics)
        + n_log_n(topics * n_words + words, n_words, n_topics)
        - sizes * np.log(np.maximum(sizes, 1))
    )
    per_topic = draw.corpus.n_docs * n_words
    cells *= n_words
    found = np.empty((1 + n_replicates, n_topics))
    for row in found:
        row[:] = n_log_n(cells + words, per_topic, n_topics)
        for start, end in zip(ends - sizes, ends, strict=True):
            generator.shuffle(words[start:end])
    scale = np.where(sizes > 0, 1 / np.maximum(sizes, 1), np.nan)
    found = (found - fixed) * scale
    return found[0], found[1:]


def n_log_n(cells: Ints, per_topic: int, n_topics: int) -> Floats:
    """Return Σ n log n over the cells of each topic."""
    ordered = np.sort(cells)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(cells)])
    counts = np.diff(starts, append=len(cells))
    weights = np.asarray(counts * np.log(counts), dtype=np.float64)
    return np.asarray(np.bincount(ordered[starts] // per_topic, weights, n_topics), np.float64)
