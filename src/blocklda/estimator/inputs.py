"""Convert what an estimator is given to a corpus."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from blocklda.data.corpus import Corpus
from blocklda.data.empty_documents import EmptyDocuments
from blocklda.data.text_values import holds_texts
from blocklda.support.errors import DataWarning, InputError
from blocklda.support.messages import Message

__all__ = ["new_corpus", "question_many_topics", "training_corpus", "warn_of_empty_documents"]


def training_corpus(X: Any) -> Corpus:
    """Return what topics are learned from; at least one document must have words.

    Texts are counted with the default settings.
    """
    corpus = Corpus.from_texts(X) if holds_texts(X) else Corpus.from_matrix(X)
    if corpus.n_tokens == 0:
        raise InputError(
            f"all {corpus.n_docs} documents of X are empty: there is nothing to learn topics from; "
            "check how the counts were created."
        )
    return corpus


def new_corpus(estimator: BaseEstimator, X: Any, *, has_column_names: bool) -> Corpus:
    """Return documents over the vocabulary of a fitted estimator.

    ``has_column_names``: scikit-learn knows the words by the columns of a data frame. Texts are
    counted as those of the fit were.
    """
    if holds_texts(X):
        return Corpus.from_texts(X, like=estimator.result_.corpus)
    corpus = Corpus.from_matrix(X)
    n_words = estimator.n_features_in_
    if corpus.n_words != n_words:
        # The first words are scikit-learn's, by which programs know this error.
        kind = type(estimator).__name__
        how = ", by like= the corpus of the fit" if isinstance(X, Corpus) else ""
        raise InputError.of(
            "X has {corpus.n_words} features, but {kind} is expecting {n_words} features as input: "
            "[count the same words as in fit, in the same order{how}]."
        ).where(corpus=corpus, kind=kind, n_words=n_words, how=how, parameter="X")
    if isinstance(X, Corpus) or not has_column_names:
        _require_same_words(corpus.vocabulary, getattr(estimator, "feature_names_in_", None))
    else:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    return corpus


def _require_same_words(given: Any, fitted: Any) -> None:
    """Refuse words of other names; where one side has no names the order is trusted."""
    if given is None or fitted is None:
        return
    differs = np.asarray(given, dtype=object) != fitted
    if differs.any():
        v = int(np.argmax(differs))
        raise InputError(
            f"word (column) {v} of X is {given[v]!r}, but in fit it was {fitted[v]!r}: count the "
            "same words as in fit, in the same order."
        )


def warn_of_empty_documents(corpus: Corpus, stacklevel: int) -> None:
    """Warn once that documents without words only have the prior."""
    empty = EmptyDocuments.of(corpus)
    if empty.number:
        said, advice = empty.said(corpus.n_docs), _if_transposed(corpus, empty.number)
        warnings.warn(DataWarning(said, advice), stacklevel=stacklevel + 1)


def _if_transposed(corpus: Corpus, n_empty: int) -> Message:
    """Return advice on a matrix that may have words in its rows; "" if it need not.

    Texts were counted here, and names of both rows and columns say which is which.
    """
    is_named = corpus.vocabulary is not None and corpus.doc_names is not None
    if 2 * n_empty <= corpus.n_docs or corpus.text_settings is not None or is_named:
        return Message("")
    return Message.of(
        " More than half of the rows are empty: if rows are words and columns documents, "
        "[transpose the matrix; for files use {transpose=True}]."
    )


FEW_TOPICS = 10
"""So many topics are never questioned: toy examples have them."""

TOPICS_PER_DOCUMENT = 2
TOKENS_PER_TOPIC = 5
"""More topics per document, or fewer tokens per topic, are far beyond what a corpus can carry: a
topic is then a few tokens that are together by chance."""


def question_many_topics(n_topics: int, corpus: Corpus, stacklevel: int) -> None:
    """Warn before a fit of more topics than a corpus can tell apart."""
    if n_topics <= FEW_TOPICS:
        return
    if n_topics > TOPICS_PER_DOCUMENT * corpus.n_docs:
        reason = f"there are only {corpus.n_docs:,} documents"
    elif n_topics * TOKENS_PER_TOPIC > corpus.n_tokens:
        reason = f"there are only {corpus.n_tokens / n_topics:.1f} tokens per topic"
    else:
        return
    warnings.warn(
        DataWarning.of(
            "{n_topics=} is far more than this corpus can distinguish, since {reason}: [give a "
            "smaller {n_topics}, or more documents]."
        ).where(n_topics=n_topics, reason=reason),
        stacklevel=stacklevel + 1,
    )
