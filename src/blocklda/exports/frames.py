"""The results as pandas data frames, with names on both axes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from blocklda.errors import InputError
from blocklda.exports.fitted import fitted
from blocklda.extras import import_extra

if TYPE_CHECKING:
    import pandas as pd

    from blocklda.estimator import LDA

__all__ = ["doc_topic_frame", "topic_word_frame", "topics_frame"]


def topic_word_frame(lda: LDA) -> pd.DataFrame:
    """Return ``components_`` with a row per topic and a column per word."""
    pandas, model = _pandas("topic_word_frame"), fitted(lda)
    columns = pandas.Index(model.words, name="word")
    return _frame(pandas, model.topic_word.copy(), _topics(pandas, len(model.topic_word)), columns)


def doc_topic_frame(lda: LDA, index: Iterable[Any] | None = None) -> pd.DataFrame:
    """Return ``doc_topic_`` with a row per training document and a column per topic.

    ``index`` names the documents: a pandas Index, or one name each. Without it they have the names
    of the corpus, if it has any, else their numbers.
    """
    pandas, model = _pandas("doc_topic_frame"), fitted(lda)
    n_docs, n_topics = model.doc_topic.shape
    names = model.corpus.doc_names if index is None else index
    if names is None:
        rows = pandas.RangeIndex(n_docs, name="document")
    elif isinstance(names, pandas.Index):
        rows = names
    else:
        rows = pandas.Index(_listed(names), name="document")
    if len(rows) != n_docs:
        raise InputError(
            f"index has {len(rows)} names, and the model was fitted to {n_docs} documents: give "
            "one name per document, in the order of the rows of X."
        )
    return _frame(pandas, model.doc_topic.copy(), rows, _topics(pandas, n_topics))


def topics_frame(lda: LDA, n_words: int = 10, interval: float = 0.9) -> pd.DataFrame:
    """Return one row per topic: what ``topic_summaries`` says, in columns.

    ``prevalence`` is the share of all tokens, between ``low`` and ``high`` with the probability
    ``interval``; ``stable`` says whether the topic comes back in every chain, and is missing with
    one chain; ``words`` are the top words, the most probable first, with commas between them.
    """
    pandas = _pandas("topics_frame")
    topics = lda.topic_summaries(n_words, interval)
    columns = {
        "prevalence": [topic.prevalence.mean for topic in topics],
        "low": [topic.prevalence.low for topic in topics],
        "high": [topic.prevalence.high for topic in topics],
        "stable": pandas.array([topic.is_stable for topic in topics], dtype="boolean"),
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
        raise InputError(
            f"index={names!r:.80} is a {type(names).__name__}: give one name per document, such "
            "as a list of strings."
        )
    return list(names)


def _frame(pandas: Any, values: Any, index: Any, columns: Any) -> pd.DataFrame:
    frame: pd.DataFrame = pandas.DataFrame(values, index=index, columns=columns)
    return frame
