"""Topics in a few numbers: how large they are, their top words, and how sure one can be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.results.result import FitResult
from blocklda.results.stability import Alignment, stable_topics
from blocklda.results.trace import Trace
from blocklda.summaries.intervals import Estimate, check_interval, draw_estimates
from blocklda.summaries.word_estimates import word_estimates
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.fixed_order import column_totals
from blocklda.support.html_table import html_table

__all__ = [
    "TopicSummaries",
    "TopicSummary",
    "WordEstimate",
    "prevalence",
    "topic_shares",
    "topic_summaries",
]


@dataclass(frozen=True)
class WordEstimate:
    """A word, its column in the matrix, and its probability φ_kv in a topic."""

    word: str
    column: int
    probability: Estimate


@dataclass(frozen=True)
class TopicSummary:
    """One topic of the reference chain, and its agreement with other chains.

    Means are over the draws of the reference chain; intervals are over the draws of every chain
    that found the topic (``found_in`` of them), the reference chain among them.

    Attributes
    ----------
    topic
        Its number, that of ``components_``.
    prevalence
        Its share of all tokens, n_k / N.
    words
        The words with the highest mean probability, the highest first.
    is_stable
        Whether every chain found it; None with one chain.
    distance
        Total variation distance to its most distant partner, NaN with one chain.
    nearest
        Total variation to the nearest partner in another chain, NaN with one chain.
    found_in
        The number of chains that found it, of ``n_chains``.
    """

    topic: int
    prevalence: Estimate
    words: tuple[WordEstimate, ...]
    is_stable: bool | None
    distance: float
    nearest: float = math.nan
    found_in: int = 1
    n_chains: int = 1

    def _repr_html_(self) -> str:
        share = self.prevalence
        rows = [
            (word.word, f"{p.mean:.4f}", f"{p.low:.4f} to {p.high:.4f}")
            for word, p in ((word, word.probability) for word in self.words)
        ]
        caption = (
            f"Topic {self.topic}: {share.mean:.1%} of the tokens ({share.low:.1%} to "
            f"{share.high:.1%})"
        )
        return html_table(("word", "probability", "interval"), rows, caption)

    def __str__(self) -> str:
        share = self.prevalence
        found = f"found in {self.found_in} of {self.n_chains} chains"
        stability = "" if self.is_stable is None else f", {found}"
        lines = [
            f"topic {self.topic}: {share.mean:.1%} of the tokens "
            f"({share.low:.1%} to {share.high:.1%}){stability}"
        ]
        width = max((len(word.word) for word in self.words), default=0)
        for word in self.words:
            p = word.probability
            lines.append(f"  {word.word:<{width}}  {p.mean:.4f} ({p.low:.4f} to {p.high:.4f})")
        return "\n".join(lines)


class TopicSummaries(tuple[TopicSummary, ...]):
    """The summaries of all topics: a tuple that notebooks show as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = [
            (
                str(one.topic),
                f"{one.prevalence.mean:.1%}",
                f"{one.prevalence.low:.1%} to {one.prevalence.high:.1%}",
                f"{one.found_in} of {one.n_chains}",
                ", ".join(word.word for word in one.words),
            )
            for one in self
        ]
        return html_table(("topic", "share", "interval", "chains", "words"), rows, "Topics")


def topic_summaries(
    draws: Iterable[Draw],
    trace: Trace,
    alignment: Alignment,
    topic_word: Floats,
    n_words: int = defaults.N_WORDS,
    interval: float = defaults.INTERVAL,
) -> TopicSummaries:
    """Summarise every topic of the reference chain.

    ``topic_word`` (topics, words) chooses the top words: the mean of φ of the reference chain.
    ``interval`` is the probability inside the intervals, with equal tails outside.

    The intervals of words are those of :func:`~blocklda.summaries.word_estimates.word_estimates`.
    """
    check_interval(interval)
    n_words = min(whole_number("n_words", n_words, 1), topic_word.shape[1])
    top = np.argsort(-topic_word, axis=1, kind="stable")[:, :n_words]
    kept = tuple(draws)
    probabilities = word_estimates(kept, trace, alignment, topic_word, top, interval)
    corpus = kept[0].corpus
    names = corpus.vocabulary or tuple(map(str, range(corpus.n_words)))
    shares = prevalence(trace, alignment, interval)
    stable = stable_topics(alignment.distances)
    several = trace.n_chains > 1
    nearest, n_found = alignment.nearest, alignment.n_found
    return TopicSummaries(
        TopicSummary(
            topic=k,
            prevalence=shares[k],
            words=_words(top[k], names, *(part[k] for part in probabilities)),
            is_stable=None if stable is None else bool(stable[k]),
            distance=float(alignment.distances[:, k].max()) if several else math.nan,
            nearest=float(nearest[k]),
            found_in=int(n_found[k]),
            n_chains=trace.n_chains,
        )
        for k in range(len(topic_word))
    )


def prevalence(trace: Trace, alignment: Alignment, interval: float) -> list[Estimate]:
    """Return the share of all tokens that each topic has.

    The mean is that of the reference chain; the interval spans the chains that found the topic.
    """
    sizes, n_tokens = trace.aligned(trace.topic_sizes, alignment.order), trace.n_tokens
    estimates = []
    for k in range(sizes.shape[2]):
        mean = sizes[alignment.reference, :, k].mean()
        _, low, high = draw_estimates(sizes[alignment.found[:, k], :, k].ravel(), interval)
        # Of whole numbers first: a share that does not vary has an interval without width.
        estimates.append(Estimate(*(float(size / n_tokens) for size in (mean, low, high))))
    return estimates


def _words(
    top: Ints, names: Sequence[str], means: Floats, lows: Floats, highs: Floats
) -> tuple[WordEstimate, ...]:
    return tuple(
        WordEstimate(names[v], int(v), Estimate(float(mean), float(low), float(high)))
        for v, mean, low, high in zip(top, means, lows, highs, strict=True)
    )


def topic_shares(model: FitResult, interval: float) -> list[Estimate]:
    """Return the share of all tokens that each topic has; without draws no interval is known."""
    if model.trace.n_draws and "topic_size" in model.trace:
        return prevalence(model.trace, model.alignment, interval)
    # An interrupted fit may have a chain without a draw: the mean over the others is all there is.
    # And where topics come and go, the one clustering that is reported has no interval.
    corpus = model.corpus
    sizes: Floats = column_totals(corpus.doc_lengths(), model.doc_topic) / corpus.n_tokens
    return [Estimate(float(size), math.nan, math.nan) for size in sizes]
