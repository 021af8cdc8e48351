"""The results as pandas data frames, with names on both axes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from blocklda.data.corpus import Corpus
from blocklda.data.doc_index import index_of
from blocklda.data.matrix_entries import row_names
from blocklda.results.fixed_topics import topics_of
from blocklda.results.result import result_of
from blocklda.support import defaults
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra

if TYPE_CHECKING:
    import pandas as pd

    from blocklda.estimator.questions import Questions

__all__ = ["doc_topic_frame", "topic_word_frame", "topics_frame"]


def topic_word_frame(lda: Questions) -> pd.DataFrame:
    """Return ``components_`` with a row per topic and a column per word."""
    pandas, model = _pandas("topic_word_frame"), result_of(lda)
    columns = pandas.Index(model.words, name="word")
    rows = _topics(pandas, model.n_topics)
    if model.labels:
        rows = pandas.Index(model.topic_names, name="topic")
    return _frame(pandas, model.topic_word.copy(), rows, columns)


def doc_topic_frame(
    lda: Questions, X: Any = None, index: Iterable[Any] | None = None
) -> pd.DataFrame:
    """Return the topics of documents, a row each, in columns topic_0, topic_1, or their labels.

    Without X these are the training documents and the numbers are ``doc_topic_``; with X they are
    those of ``transform(X)``. ``index`` names the documents: a pandas Index, or one name each.
    Without it they have the index or the names of X or of the training corpus, else numbers.
    """
    pandas, model = _pandas("doc_topic_frame"), topics_of(lda)
    if X is None:
        doc_topic, own_names = model.doc_topic.copy(), _own_index(pandas, model.corpus)
    else:
        doc_topic = cast(Any, lda).transform(X)
        own_names = _own_index(pandas, X)
    n_docs = len(doc_topic)
    names = own_names if index is None else index
    if names is None:
        rows = pandas.RangeIndex(n_docs, name="document")
    elif isinstance(names, pandas.Index):
        rows = names
    else:
        rows = pandas.Index(_listed(names), name="document")
    if len(rows) != n_docs:
        raise InputError(
            f"index has {len(rows)} names, but there are {n_docs} documents: give one name per "
            "document, in the order of the rows of X."
        )
    columns = pandas.Index(model.topic_names, name="topic")
    return _frame(pandas, doc_topic, rows, columns)


def _own_index(pandas: Any, X: Any) -> Any:
    """Return the index that documents came with, or their names, or None."""
    index = X.doc_index if isinstance(X, Corpus) else index_of(X)
    if index is not None:
        return index.to_pandas(pandas)
    return X.doc_names if isinstance(X, Corpus) else row_names(X)


def topics_frame(
    lda: Questions, n_words: int = defaults.N_WORDS, interval: float = defaults.INTERVAL
) -> pd.DataFrame:
    """Return one row per topic: what ``topic_summaries`` says, in columns.

    ``prevalence`` is the share of all tokens, between ``low`` and ``high`` with the probability
    ``interval``; ``stable`` says whether every chain found the topic, and is missing with one
    chain; ``found_in`` is how many chains found it; ``words`` are the top words, the most probable
    first, with commas between them. If topics have labels, these are in a first column.
    """
    pandas, model = _pandas("topics_frame"), result_of(lda)
    topics = lda.topic_summaries(n_words, interval)
    named = {"label": [model.labels.get(k) for k in range(model.n_topics)]}
    columns = {
        **(named if model.labels else {}),
        "prevalence": [topic.prevalence.mean for topic in topics],
        "low": [topic.prevalence.low for topic in topics],
        "high": [topic.prevalence.high for topic in topics],
        "stable": pandas.array([topic.is_stable for topic in topics], dtype="boolean"),
        "found_in": [topic.found_in for topic in topics],
        "words": [", ".join(word.word for word in topic.words) for topic in topics],
    }
    frame: pd.DataFrame = pandas.DataFrame(columns, index=_topics(pandas, len(topics)))
    return frame


def _pandas(who: str) -> Any:
    return import_extra("pandas", "pandas", who)


def _topics(pandas: Any, n_topics: int) -> Any:
    return pandas.RangeIndex(n_topics, name="topic")


def _listed(names: Iterable[Any]) -> list[Any]:
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise InputError.of(
            "{index=} is a {kind}: [give <one name per document, such as a list of strings>]."
        ).where(index=names, kind=type(names).__name__)
    return list(names)


def _frame(pandas: Any, values: Any, index: Any, columns: Any) -> pd.DataFrame:
    frame: pd.DataFrame = pandas.DataFrame(values, index=index, columns=columns)
    return frame
