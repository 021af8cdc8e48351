"""A fit seen with some topics as one: a view, in which counts are summed draw by draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from blocklda.models.base import Role
from blocklda.models.lda.draw import Draw, topic_dtype
from blocklda.models.lda.priors import Priors
from blocklda.results.result import FitResult, require_draws
from blocklda.results.stability import Alignment
from blocklda.results.trace import Trace
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError, not_allowed

__all__ = ["merged_result"]


def merged_result(result: FitResult, groups: Any) -> FitResult:
    """Return a result of the reference chain in which each group of topics is one topic.

    A merged topic stands where the first of its group stood; those behind it move up. In every draw
    the tokens of a group are one topic's, with the sum of their α and of their β. So shares, and
    what is derived from them, are exact: the sum of some proportions of a Dirichlet distribution
    with the others is a Dirichlet distribution again. The words of a merged topic are those of all
    its tokens. Labels of single topics are kept.
    """
    require_draws(result.draws, "merged")
    new = _new_numbers(groups, result.n_topics)
    n_new = int(new.max()) + 1
    draws = tuple(_merged_draw(draw, new, n_new) for draw in result.reference_draws)
    sizes = result.trace.topic_sizes[result.reference, :, : result.n_topics].mean(axis=0)
    doc_topic = _summed(result.doc_topic, new, n_new)
    weighted = _summed((result.topic_word * np.maximum(sizes, 1e-300)[:, None]).T, new, n_new).T
    alone = np.bincount(new, minlength=n_new) == 1
    labels = {int(new[k]): label for k, label in result.labels.items() if alone[new[k]]}
    return replace(
        result,
        topic_word_mean=weighted / weighted.sum(axis=1, keepdims=True),
        doc_topic_mean=doc_topic,
        reference=0,
        align=partial(_alone, n_new),
        trace=_merged_trace(result.trace, result.reference, new, n_new),
        log_posterior=result.log_posterior[result.reference : result.reference + 1],
        n_sweeps=result.n_sweeps[result.reference : result.reference + 1],
        priors={**result.priors, "alpha": _summed(result.priors["alpha"][None], new, n_new)[0]},
        draws=draws,
        chain_means=(),
        labels=labels,
    )


def _alone(n_topics: int) -> Alignment:
    """Return the alignment of one chain."""
    return Alignment(np.arange(n_topics)[None], np.zeros((1, n_topics)))


def _new_numbers(groups: Any, n_topics: int) -> Ints:
    """Return the new number of each topic."""
    first = np.arange(n_topics)
    seen: set[int] = set()
    for i, group in enumerate(_listed(groups)):
        members = [whole_number(f"groups[{i}]", k, 0, n_topics - 1) for k in _listed(group)]
        if len(members) < 2:
            raise InputError(f"groups[{i}] is {group!r:.80}: give two or more topics to merge.")
        for k in members:
            if k in seen:
                raise InputError(f"topic {k} is in groups more than once: name each topic once.")
            seen.add(k)
        first[members] = min(members)
    _, new = np.unique(first, return_inverse=True)
    return np.asarray(new, dtype=np.int64)


def _listed(groups: Any) -> Sequence[Any]:
    if isinstance(groups, str | bytes) or not isinstance(groups, Iterable):
        raise not_allowed("groups", groups, "lists of topics to merge, such as [[3, 17]]")
    return list(groups)


def _summed(values: Floats, new: Ints, n_new: int) -> Floats:
    """Return columns added up by the new numbers of topics."""
    summed = np.zeros((len(values), n_new), dtype=values.dtype)
    for k, place in enumerate(new):
        summed[:, place] += values[:, k]
    return summed


def _merged_draw(draw: Draw, new: Ints, n_new: int) -> Draw:
    priors = Priors(
        _summed(draw.priors.alpha[None], new, n_new)[0],
        _summed(draw.priors.beta, new, n_new),
        _summed(draw.priors.beta_sum[None], new, n_new)[0],
    )
    topics = new.astype(topic_dtype(n_new))[draw.topics]
    topics.setflags(write=False)
    return Draw(0, draw.sweep, topics, draw.corpus, priors)


def _merged_trace(trace: Trace, chain: int, new: Ints, n_new: int) -> Trace:
    values = {}
    for quantity in trace.quantities:
        of_chain = trace[quantity.name][chain : chain + 1]
        if quantity.role is Role.BY_TOPIC:
            of_chain = _summed(of_chain[0], new, n_new)[None]
        values[quantity.name] = of_chain
    return replace(trace, log_posterior=trace.log_posterior[chain : chain + 1], values=values)
