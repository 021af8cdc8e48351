"""The measures of a model on documents, each with a sentence on what it says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.evaluate.coherence import npmi, umass
from blocklda.evaluate.diversity import diversity, exclusivity
from blocklda.evaluate.left_to_right import LeftToRight, left_to_right
from blocklda.evaluate.search_scores import HeldoutScores
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA
    from blocklda.models.lda.new_documents.infer import Completion

__all__ = ["Measure", "measures"]


@dataclass(frozen=True)
class Measure:
    """A measure for people (name, value, meaning) and for programs (key, numbers)."""

    name: str
    value: str
    meaning: str
    key: str
    numbers: dict[str, Any]


def measures(lda: LDA, corpus: Corpus, n_words: int, *, with_left_to_right: bool) -> list[Measure]:
    """Measure a model on documents over its words."""
    n_words = min(n_words, corpus.n_words)
    if with_left_to_right and not lda.topics_are_given:
        raise InputError(
            "the left-to-right estimate needs a fixed number of topics, which this model does not "
            "have: leave it out, or use to_lda() of an HDP."
        )
    found = [_completion(lda, corpus)]
    if with_left_to_right:
        found.append(_left_to_right(lda, corpus))
    return [*found, *_of_topics(lda, corpus, n_words)]


def _completion(lda: LDA, corpus: Corpus) -> Measure:
    done = lda.completion(corpus)
    error = _error_over_documents(done.log_probabilities, done.n_tokens)
    return Measure(
        name="perplexity",
        value=perplexity_text(done.perplexity, error),
        meaning="Half of each document predicted from its other half: as difficult as guessing "
        f"among this many equally likely words, of {corpus.n_words:,}. Lower is better.",
        key="document_completion",
        numbers={
            **_numbers(done, error),
            "heldout_tokens": int(done.n_tokens.sum()),
        },
    )


def _left_to_right(lda: LDA, corpus: Corpus) -> Measure:
    done = left_to_right(lda.components_, lda.alpha_, corpus)
    error = _error_over_documents(done.log_probabilities, done.n_tokens)
    per_token = done.standard_error / float(done.n_tokens.sum())
    return Measure(
        name="left to right",
        value=perplexity_text(done.perplexity, error),
        meaning="Each word of whole documents predicted from the words before it, as a perplexity. "
        f"Its Monte Carlo error is {done.perplexity * per_token:.2g}. Lower is better.",
        key="left_to_right",
        numbers={
            **_numbers(done, error),
            "monte_carlo_se": per_token,
            "tokens": int(done.n_tokens.sum()),
        },
    )


def _numbers(done: Completion | LeftToRight, error: float) -> dict[str, float]:
    """Return what every measure of held-out probability has; ``error`` is that per token."""
    return {
        "perplexity": done.perplexity,
        "perplexity_se": done.perplexity * error,
        "log_probability_per_token": done.mean_log_per_token,
        "log_probability_per_token_se": error,
    }


def _of_topics(lda: LDA, corpus: Corpus, n_words: int) -> list[Measure]:
    topics = lda.components_
    share = diversity(topics, n_words)
    return [
        _mean_over_topics(
            "NPMI",
            "npmi",
            npmi(topics, corpus, n_words),
            f"Whether the top {n_words} words of a topic occur in the same documents: -1 never, 0 "
            "by chance, 1 always. Higher is better.",
        ),
        _mean_over_topics(
            "UMass",
            "umass",
            umass(topics, corpus, n_words),
            "Log probability of a top word in documents that contain a higher-ranked one. Closer "
            "to 0 is better.",
        ),
        Measure(
            "diversity",
            f"{share:.3f}",
            f"Share of different words among the top {n_words} of all topics: 1 if no two topics "
            "share a word.",
            "diversity",
            {"value": share},
        ),
        _mean_over_topics(
            "exclusivity",
            "exclusivity",
            exclusivity(topics, n_words),
            "How much the top words belong to their topic alone: 1 if no other topic uses them.",
        ),
    ]


def _mean_over_topics(name: str, key: str, values: Floats, meaning: str) -> Measure:
    known = values[np.isfinite(values)]
    mean = float(known.mean()) if known.size else math.nan
    if known.size < len(values):
        meaning += (
            f" {len(values) - known.size} topics have no pair of top words in these documents."
        )
    value = "-" if math.isnan(mean) else f"{mean:.3f}"
    return Measure(name, value, meaning, key, {"mean": mean, "topics": values})


def _error_over_documents(totals: Floats, sizes: Ints) -> float:
    """Return the standard error per token, NaN with fewer than two documents that have tokens."""
    filled = sizes > 0
    if filled.sum() < 2:
        return math.nan
    return HeldoutScores(totals[None, filled], sizes[filled]).se_documents


def perplexity_text(level: float, error: float) -> str:
    """Return a perplexity with the standard error that its log has, by the delta method.

    The error has two digits, and the perplexity as many decimals as that.
    """
    spread = level * error
    if not spread > 0:  # one document, or documents that are all alike
        return f"{level:,.2f}"
    exponent = int(f"{spread:.1e}".split("e")[1])
    digits = max(0, 1 - exponent)
    return f"{level:,.{digits}f} ± {spread:,.{digits}f}"
