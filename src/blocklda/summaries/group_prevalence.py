"""How much of each topic there is in groups of documents, with credible intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from blocklda.data.row_order import check_row_order
from blocklda.models.lda.draw import Draw
from blocklda.results.result import FitResult, require_draws
from blocklda.summaries.group_labels import group_documents
from blocklda.summaries.intervals import Estimates, check_interval, draw_estimates
from blocklda.support import defaults
from blocklda.support.arrays import AnyInts, Ints

__all__ = ["GroupPrevalence", "group_prevalence"]

T = TypeVar("T")

TOKENS_AT_ONCE = 2**22
"""Tokens that are counted together: 32 MB of cell numbers."""


@dataclass(frozen=True, eq=False)
class GroupPrevalence:
    """Shares of topics in groups of documents, in the order in which groups are to be shown.

    Attributes
    ----------
    kind
        What the groups are: "date", "number" or "category".
    labels
        Their names, all different.
    starts
        For dates the first day of each period as ISO writes it, None for the group of documents
        without a date. None for other kinds.
    middles
        For numbers the number of each group, or the middle of its bin; NaN for documents without
        one. None for other kinds.
    n_docs, n_tokens
        Documents and tokens of each group, shape (groups,).
    prevalence
        The share of a group's tokens that have a topic, n_gk / n_g, each of the shape (groups,
        topics).
    empty
        Names of groups that are left out, since their documents have no tokens.
    """

    kind: str
    labels: tuple[str, ...]
    starts: tuple[str | None, ...] | None
    middles: tuple[float, ...] | None
    n_docs: Ints
    n_tokens: Ints
    prevalence: Estimates
    empty: tuple[str, ...]


def group_prevalence(
    model: FitResult, groups: Sequence[Any], interval: float = defaults.INTERVAL
) -> GroupPrevalence:
    """Return the share that each topic has of the tokens of groups of documents.

    ``groups`` has a date, a number or a name for each training document; see
    :func:`~blocklda.summaries.group_labels.group_documents` for how they become groups. Means and
    intervals are over the draws of the reference chain. They are about these documents: how sure
    one can be of their topics, not what other documents would have had.
    """
    require_draws(model.draws, "group_prevalence")
    check_interval(interval)
    check_row_order(groups, model.corpus, "groups")
    found = group_documents(groups, model.corpus.n_docs)
    lengths = model.corpus.doc_lengths()
    n_groups = len(found.labels)
    sizes = np.bincount(found.of_doc, lengths, n_groups).astype(np.int64)
    of_token = np.repeat(found.of_doc.astype(np.min_scalar_type(n_groups)), lengths)
    kept = np.flatnonzero(sizes)
    shares = (
        np.array([_counts(draw, of_token, n_groups)[kept] for draw in model.reference_draws])
        / sizes[kept][:, None]
    )
    return GroupPrevalence(
        kind=found.kind,
        labels=_picked(found.labels, kept),
        starts=None if found.starts is None else _picked(found.starts, kept),
        middles=None if found.middles is None else _picked(found.middles, kept),
        n_docs=np.bincount(found.of_doc, minlength=n_groups)[kept],
        n_tokens=sizes[kept],
        prevalence=draw_estimates(shares, interval),
        empty=_picked(found.labels, np.flatnonzero(sizes == 0)),
    )


def _counts(draw: Draw, of_token: AnyInts, n_groups: int) -> Ints:
    """Return n_gk, how many tokens of each group have each topic."""
    n_topics = draw.priors.n_topics
    table = np.zeros(n_groups * n_topics, dtype=np.int64)
    for start in range(0, len(of_token), TOKENS_AT_ONCE):
        piece = slice(start, start + TOKENS_AT_ONCE)
        cells = of_token[piece].astype(np.int64) * n_topics + draw.topics[piece]
        table += np.bincount(cells, minlength=len(table))
    return table.reshape(n_groups, n_topics)


def _picked(values: tuple[T, ...], places: Ints) -> tuple[T, ...]:
    return tuple(values[place] for place in places)
