"""Single documents: their topics with intervals, the topics of their words, the most typical."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from blocklda.models.lda.draw import Draw
from blocklda.results.result import FitResult, require_draws
from blocklda.summaries.intervals import Estimates, beta_estimates, check_interval
from blocklda.summaries.relevance import largest
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import not_allowed

__all__ = ["document_mixtures", "entry_topics", "typical_documents"]

CELLS_AT_ONCE = 2**20
"""Betas (draw, document, topic) that are worked out together: their quantiles take some 100 MB."""


def document_mixtures(
    model: FitResult, docs: Sequence[int], interval: float = defaults.INTERVAL
) -> Estimates:
    """Return θ_dk of some documents, in arrays of the shape (documents asked for, topics).

    Given a draw, θ_dk is distributed as Beta(n_dk + α_k, N_d + Σ_k α_k − n_dk − α_k). The mean is
    that over all draws of the reference chain, and the interval that of the mixture of these Betas
    over its kept draws. Of a topic that a document hardly has, the mean may lie above the interval:
    a small probability of a large share moves the mean, not the quantiles.
    """
    require_draws(model.draws, "document_mixtures")
    check_interval(interval)
    numbers = _checked_documents(docs, model.corpus.n_docs)
    at_once = max(1, CELLS_AT_ONCE // (len(model.reference_draws) * model.n_topics))
    parts = [
        _estimates(model, numbers[start : start + at_once], interval)
        for start in range(0, max(1, len(numbers)), at_once)
    ]
    return Estimates(*map(np.concatenate, zip(*parts, strict=True)))


def _estimates(model: FitResult, docs: Ints, interval: float) -> Estimates:
    draws = model.reference_draws
    firsts = np.array([_weights(draw, docs) for draw in draws])
    lengths = model.corpus.doc_lengths()[docs]
    totals = np.array([lengths + draw.priors.alpha.sum() for draw in draws])[:, :, None]
    found = beta_estimates(firsts, totals - firsts, interval)
    return found._replace(mean=model.doc_topic[docs])


def _weights(draw: Draw, docs: Ints) -> Floats:
    """Return n_dk + α_k."""
    return draw.doc_topic_counts_of(docs) + draw.priors.alpha


def entry_topics(model: FitResult, docs: Sequence[int]) -> list[Floats]:
    """Return for each document the probabilities of topics of its words, (entries, topics).

    Row i is about the i-th entry of the document in the corpus: a word, and the probability that a
    token of it has each topic. Tokens of one word in one document are exchangeable, so that it is
    the mean over the draws of the reference chain of n_dvk / n_dv.
    """
    require_draws(model.draws, "entry_topics")
    corpus = model.corpus
    numbers = _checked_documents(docs, corpus.n_docs)
    ends = np.cumsum(corpus.doc_lengths())
    return [_of_document(model, int(d), int(ends[d])) for d in numbers]


def _of_document(model: FitResult, d: int, end: int) -> Floats:
    counts = model.corpus.counts[model.corpus.doc_offsets[d] : model.corpus.doc_offsets[d + 1]]
    tokens = slice(end - int(counts.sum(dtype=np.int64)), end)
    first_cells = np.repeat(np.arange(len(counts)) * model.n_topics, counts)
    draws = model.reference_draws
    cells = [first_cells + draw.topics[tokens] for draw in draws]
    size = len(counts) * model.n_topics
    table = np.bincount(np.concatenate(cells), minlength=size).reshape(-1, model.n_topics)
    return np.asarray(table / (counts[:, None] * len(draws)))


def typical_documents(model: FitResult, n_docs: int) -> Ints:
    """Return the documents with the largest mean θ_dk of each topic, shape (topics, documents).

    The largest comes first; of ties, the first document. Empty documents, whose topics are the
    prior's, are never among them; if fewer than ``n_docs`` others are there, these are all.
    """
    filled = np.flatnonzero(model.corpus.doc_lengths())
    n_found = min(whole_number("n_docs", n_docs, 1), len(filled))
    theta = model.doc_topic
    rows = [largest(theta[filled, k], n_found) for k in range(model.n_topics)]
    return filled[np.array(rows, dtype=np.int64).reshape(model.n_topics, n_found)]


def _checked_documents(docs: Any, n_docs: int) -> Ints:
    """Return the documents in the order in which they were given, or say which one is not there."""
    if isinstance(docs, str | bytes) or not isinstance(docs, Iterable):
        raise not_allowed("docs", docs, "a list of document numbers, such as [0, 5]")
    numbers = [whole_number(f"docs[{i}]", d, 0, n_docs - 1) for i, d in enumerate(docs)]
    return np.array(numbers, dtype=np.int64)
