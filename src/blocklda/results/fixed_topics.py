"""A fit whose topics come and go, seen with the same topics in all draws.

Intervals of shares and words, typical documents, maps and figures need topics that are the same
from draw to draw. Of a model without such topics they are those of the representative draw of each
chain, and one more for everything else (:class:`blocklda.models.base.VaryingTopics`). With them a
fit is one of LDA for everything that follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from blocklda.models.base import Quantity, Role, VaryingTopics
from blocklda.results.result import FitResult, result_of
from blocklda.results.stability import Alignment
from blocklda.results.trace import Trace
from blocklda.support.arrays import Floats

__all__ = ["EVERYTHING_ELSE", "topics_of"]

EVERYTHING_ELSE = "everything else"
"""The label of what is in none of the topics of the representative draw."""

TOPIC_SIZE = Quantity(
    "topic_size", Role.BY_TOPIC, lambda draw: draw.topic_counts(), summary="ranks", title="size"
)


class ChainTopics(NamedTuple):
    """φ of the topics of a chain, as the running means of LDA have it."""

    topic_word_sum: Floats
    n_draws: int = 1


def topics_of(fit: Any) -> FitResult:
    """Return the result of a fit with the same topics in all draws, the last of them the rest.

    It is the result itself where the model has such topics.
    """
    result = result_of(fit)
    shown = result.chain_means[result.reference] if result.chain_means else None
    return _with_fixed_topics(result, shown) if isinstance(shown, VaryingTopics) else result


def _with_fixed_topics(result: FitResult, shown: VaryingTopics) -> FitResult:
    estimates: Sequence[VaryingTopics | None] = result.chain_means
    draws = tuple(_estimate(estimates, draw).renumbered(draw) for draw in result.draws)
    chain_topics = [None if one is None else _all_words(one) for one in estimates]
    labels = dict(result.labels)
    if shown.has_rest:
        labels[result.n_topics] = EVERYTHING_ELSE
    of_reference = [draw.priors.alpha for draw in draws if draw.chain == result.reference]
    alpha = {"alpha": np.mean(of_reference, axis=0)} if of_reference else {}
    return replace(
        result,
        topic_word_mean=_all_words(shown),
        doc_topic_mean=cache(lambda: result.doc_topic),  # for as long as this is needed
        align=partial(_alignment, result, chain_topics),
        trace=_trace(result, draws),
        draws=draws,
        chain_means=tuple(None if one is None else ChainTopics(one) for one in chain_topics),
        priors={**result.priors, **alpha},
        labels=labels,
    )


def _estimate(estimates: Sequence[VaryingTopics | None], draw: Any) -> VaryingTopics:
    found: VaryingTopics | None = estimates[draw.chain]
    if found is None:
        raise ValueError(f"chain {int(draw.chain)} has draws but no representative draw")
    return found


def _all_words(shown: VaryingTopics) -> Floats:
    """Return φ of the topics, and last that of everything else, a mean over the draws."""
    topics = shown.topic_word()
    if not shown.has_rest:
        return topics
    rest = np.zeros(topics.shape[1])
    for draw in map(shown.renumbered, shown.draws):
        words = draw.token_words()[draw.topics == len(topics)]
        weights = np.bincount(words, minlength=len(rest)) + draw.priors.beta[:, -1]
        rest += weights / weights.sum()
    return np.vstack([topics, rest / len(shown.draws)])


def _alignment(result: FitResult, chain_topics: Sequence[Floats | None]) -> Alignment:
    """Return the partners of the topics, everything else beside everything else."""
    found = result.alignment
    own = chain_topics[result.reference]
    if own is None or len(own) == found.order.shape[1]:
        return found
    last = [-1 if one is None else len(one) - 1 for one in chain_topics]
    apart = [np.nan if one is None else np.abs(one[-1] - own[-1]).sum() / 2 for one in chain_topics]
    return Alignment(
        np.column_stack([found.order, last]),
        np.column_stack([found.distances, apart]),
        found.reference,
    )


def _trace(result: FitResult, draws: Sequence[Any]) -> Trace:
    """Return what was recorded of the draws that are kept, with the sizes of their topics."""
    if not draws:
        return result.trace
    sweeps = np.unique([draw.sweep for draw in draws])
    at = np.searchsorted(result.trace.sweeps, sweeps)
    width = max(draw.priors.n_topics for draw in draws)
    sizes = np.full((result.n_chains, len(sweeps), width), np.nan)
    for draw in draws:
        counts = draw.topic_counts()
        sizes[draw.chain, np.searchsorted(sweeps, draw.sweep), : len(counts)] = counts
    return replace(
        result.trace,
        sweeps=sweeps,
        log_posterior=result.trace.log_posterior[:, at],
        quantities=(*result.trace.quantities, TOPIC_SIZE),
        values={name: values[:, at] for name, values in result.trace.values.items()}
        | {TOPIC_SIZE.name: sizes},
    )
