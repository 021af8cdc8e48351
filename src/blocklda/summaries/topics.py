"""Topics in a few numbers: how large they are, their top words, and how sure one can be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blocklda.checks import whole_number
from blocklda.diagnostics.stability import Alignment, stable_topics
from blocklda.diagnostics.trace import Trace
from blocklda.errors import InputError
from blocklda.store import Draw
from blocklda.summaries.mixture_interval import beta_mixture_interval
from blocklda.summaries.word_counts import WordCounts

__all__ = ["Estimate", "TopicSummary", "WordEstimate", "prevalence", "topic_summaries"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A posterior mean and an equal-tailed credible interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class WordEstimate:
    """A word, its column in the matrix, and its probability φ_kv in a topic."""

    word: str
    column: int
    probability: Estimate


@dataclass(frozen=True)
class TopicSummary:
    """One topic over all draws of all chains.

    Attributes
    ----------
    topic
        Its number, that of the first chain and of ``components_``.
    prevalence
        The share of all tokens that it has, n_k / N.
    words
        The words with the highest mean probability, the highest first.
    is_stable
        Whether it comes back in every chain; None with one chain.
    distance
        Total variation to the partner that is furthest from it, NaN with one chain.
    """

    topic: int
    prevalence: Estimate
    words: tuple[WordEstimate, ...]
    is_stable: bool | None
    distance: float

    def __str__(self) -> str:
        share = self.prevalence
        stability = {True: ", stable", False: ", NOT stable", None: ""}[self.is_stable]
        lines = [
            f"topic {self.topic}: {share.mean:.1%} of the tokens "
            f"({share.low:.1%} to {share.high:.1%}){stability}"
        ]
        width = max((len(word.word) for word in self.words), default=0)
        for word in self.words:
            p = word.probability
            lines.append(f"  {word.word:<{width}}  {p.mean:.4f} ({p.low:.4f} to {p.high:.4f})")
        return "\n".join(lines)


def topic_summaries(
    draws: Iterable[Draw],
    trace: Trace,
    alignment: Alignment,
    topic_word: Floats,
    n_words: int = 10,
    interval: float = 0.9,
) -> tuple[TopicSummary, ...]:
    """Summarise every topic over the draws of all chains.

    ``topic_word`` (topics, words) chooses the top words: the mean of φ, in the order of the first
    chain. ``interval`` is the probability inside the intervals, with equal tails outside.

    Given a draw, φ_kv has the law Beta(n_vk + β_kv, n_k + Σ_v β_kv − n_vk − β_kv); the interval of
    a word is that of the mixture of these laws over the draws, so it holds both what the draws
    disagree about and what one draw leaves open. Draws of all chains are pooled. For a topic that
    is not stable they are draws about different topics, and the interval spans them.
    """
    share = _check_interval(interval)
    n_words = min(whole_number("n_words", n_words, 1), topic_word.shape[1])
    top = np.argsort(-topic_word, axis=1, kind="stable")[:, :n_words]
    alphas, betas, names = _beta_laws(draws, trace, alignment.order, top)
    shares = prevalence(trace, alignment.order, share)
    stable = stable_topics(alignment.distances)
    several = trace.n_chains > 1
    return tuple(
        TopicSummary(
            topic=k,
            prevalence=shares[k],
            words=_words(top[k], names, alphas[:, k], betas[:, k], share),
            is_stable=None if stable is None else bool(stable[k]),
            distance=float(alignment.distances[1:, k].max()) if several else math.nan,
        )
        for k in range(trace.n_topics)
    )


def _check_interval(interval: float) -> float:
    try:
        share = float(interval)
    except (TypeError, ValueError):
        share = math.nan
    if not 0 < share < 1:
        raise InputError(
            f"interval={interval!r:.80} is not allowed: give a number between 0 and 1."
        )
    return share


def _beta_laws(
    draws: Iterable[Draw], trace: Trace, order: NDArray[np.int64], top: NDArray[np.int64]
) -> tuple[Floats, Floats, Sequence[str]]:
    """Return both parameters of the law of φ given each draw, (draws, topics, words), and names."""
    alphas, betas = [], []
    counts: WordCounts | None = None
    for draw in draws:
        if counts is None:
            counts = WordCounts.create(draw.corpus, top)
            names = draw.corpus.vocabulary or tuple(map(str, range(draw.corpus.n_words)))
        partners = order[draw.chain]
        at = int(np.searchsorted(trace.sweeps, draw.sweep))
        beta = draw.priors.beta
        prior = beta[0, partners][:, None] if len(beta) == 1 else beta[top, partners[:, None]]
        first = counts.of(draw.topics, partners) + prior
        totals = trace.topic_sizes[draw.chain, at, partners] + draw.priors.beta_sum[partners]
        alphas.append(first)
        # Where one word has all there is, rounding or a vocabulary of one word would leave nothing.
        betas.append(np.maximum(totals[:, None] - first, np.finfo(np.float64).tiny))
    if counts is None:
        raise InputError("there are no draws to summarise: make some first.")
    return np.array(alphas), np.array(betas), names


def prevalence(trace: Trace, order: NDArray[np.int64], interval: float) -> list[Estimate]:
    """Return the share of all tokens that each topic has, over the draws of all chains."""
    share = _check_interval(interval)
    sizes = trace.aligned(trace.topic_sizes, order).reshape(-1, trace.n_topics)
    shares = sizes / trace.n_tokens
    low, high = np.quantile(shares, [(1 - share) / 2, (1 + share) / 2], axis=0)
    columns = zip(shares.mean(axis=0), low, high, strict=True)
    return [Estimate(*map(float, column)) for column in columns]


def _words(
    top: NDArray[np.int64], names: Sequence[str], alphas: Floats, betas: Floats, share: float
) -> tuple[WordEstimate, ...]:
    means = (alphas / (alphas + betas)).mean(axis=0)
    low, high = beta_mixture_interval(alphas, betas, share)
    return tuple(
        WordEstimate(names[v], int(v), Estimate(float(m), float(lo), float(hi)))
        for v, m, lo, hi in zip(top, means, low, high, strict=True)
    )
