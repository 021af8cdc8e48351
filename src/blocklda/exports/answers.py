"""Questions about groups, documents, words and topics, answered by data frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.results.result import FitResult
from blocklda.summaries.documents import document_mixtures, typical_documents
from blocklda.summaries.group_prevalence import group_prevalence
from blocklda.summaries.intervals import Estimates
from blocklda.summaries.word_checks import check_topics
from blocklda.summaries.word_topics import topic_correlations, word_column, word_shares
from blocklda.support import defaults
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "check_frame",
    "correlation_frame",
    "document_interval_frame",
    "prevalence_columns",
    "prevalence_frame",
    "representative_frame",
    "topic_number",
    "word_topic_frame",
]


def prevalence_frame(
    model: FitResult, groups: Sequence[Any], interval: float = defaults.INTERVAL
) -> pd.DataFrame:
    """Return the share of each topic in each group, a row per pair, with its interval."""
    return _frame("prevalence", prevalence_columns(model, groups, interval))


def prevalence_columns(
    model: FitResult, groups: Sequence[Any], interval: float = defaults.INTERVAL
) -> dict[str, Any]:
    """Return the columns of that frame, by name."""
    found = group_prevalence(model, groups, interval)
    n_topics = model.n_topics
    columns: dict[str, Any] = {"group": np.repeat(np.array(found.labels, dtype=object), n_topics)}
    if found.starts is not None:
        columns["start"] = np.repeat(np.array(found.starts, dtype=object), n_topics)
    if found.middles is not None:
        columns["middle"] = np.repeat(found.middles, n_topics)
    columns |= {
        "topic": np.tile(np.arange(n_topics), len(found.labels)),
        "label": model.topic_names * len(found.labels),
        **_estimates(found.prevalence),
        "documents": np.repeat(found.n_docs, n_topics),
        "tokens": np.repeat(found.n_tokens, n_topics),
    }
    return columns


def representative_frame(
    model: FitResult,
    topic: Any,
    n_docs: int = 5,
    interval: float = defaults.INTERVAL,
    texts: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the documents with the largest share of a topic, the largest first."""
    k = topic_number(model, topic)
    docs = typical_documents(model, n_docs)[k]
    found = document_mixtures(model, docs.tolist(), interval)
    names = model.corpus.doc_names
    columns: dict[str, Any] = {
        "row": docs,
        "document": docs if names is None else [names[d] for d in docs],
        **_estimates(Estimates(*(part[:, k] for part in found))),
        "tokens": model.corpus.doc_lengths()[docs],
    }
    if texts is not None:
        given = list(texts)
        if len(given) != model.corpus.n_docs:
            raise InputError(
                f"texts has {len(given)} texts, but there are {model.corpus.n_docs} documents: "
                "give one text for each training document, in the same order."
            )
        columns["text"] = [given[d] for d in docs]
    return _frame("representative_documents", columns)


def document_interval_frame(
    model: FitResult, docs: Iterable[int] | None = None, interval: float = defaults.INTERVAL
) -> pd.DataFrame:
    """Return the share of each topic in documents, a row per pair, with its interval."""
    rows = list(range(model.corpus.n_docs)) if docs is None else list(docs)
    found = document_mixtures(model, rows, interval)
    names, n_topics = model.corpus.doc_names, model.n_topics
    of_rows = rows if names is None else [names[d] for d in rows]
    columns = {
        "row": np.repeat(rows, n_topics),
        "document": np.repeat(np.array(of_rows, dtype=object), n_topics),
        "topic": np.tile(np.arange(n_topics), len(rows)),
        "label": model.topic_names * len(rows),
        **_estimates(found),
    }
    return _frame("document_intervals", columns)


def word_topic_frame(
    model: FitResult, word: Any, interval: float = defaults.INTERVAL
) -> pd.DataFrame:
    """Return which share of a word's tokens each topic has, the largest first."""
    column = word_column(model, word)
    found = word_shares(model, column, interval)
    order = np.argsort(-found.mean, kind="stable")
    names = model.topic_names
    columns = {
        "topic": order,
        "label": [names[k] for k in order],
        **_estimates(Estimates(*(part[order] for part in found))),
        "probability": model.topic_word[order, column],
    }
    return _frame("word_topics", columns)


def correlation_frame(model: FitResult) -> pd.DataFrame:
    """Return the correlations of topics over documents, a row and a column per topic."""
    pandas, names = import_extra("pandas", "pandas", "topic_correlations"), model.topic_names
    frame: pd.DataFrame = pandas.DataFrame(topic_correlations(model), index=names, columns=names)
    return frame


def check_frame(model: FitResult, n_replicates: int, seed: Any) -> pd.DataFrame:
    """Return how far the word use of each topic depends on documents, a row per topic."""
    found = check_topics(model, n_replicates, seed)
    columns = {
        "topic": np.arange(model.n_topics),
        "label": model.topic_names,
        **vars(found),
    }
    return _frame("posterior_predictive_check", columns)


def topic_number(model: FitResult, topic: Any) -> int:
    """Return the number of a topic, given by its number or its label."""
    if isinstance(topic, str):
        names = model.topic_names
        if topic in names:
            return names.index(topic)
        raise InputError(
            f"no topic is called {topic!r:.80}: give a number from 0 to {model.n_topics - 1}, or "
            f"one of {', '.join(map(repr, names[:10]))}."
        )
    return whole_number("topic", topic, 0, model.n_topics - 1)


def _estimates(found: Estimates) -> dict[str, Any]:
    return {"mean": found.mean.ravel(), "low": found.low.ravel(), "high": found.high.ravel()}


def _frame(who: str, columns: dict[str, Any]) -> pd.DataFrame:
    frame: pd.DataFrame = import_extra("pandas", "pandas", who).DataFrame(columns)
    return frame
