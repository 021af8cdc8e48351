"""Labels for topics from a function of their words and documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from blocklda.results.result import result_of
from blocklda.summaries.documents import typical_documents
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError, not_allowed

__all__ = ["label_topics"]


def label_topics(
    fit: Any,
    function: Callable[..., str],
    n_words: int,
    n_docs: int,
    texts: Sequence[str] | None,
) -> dict[int, str]:
    """Return what a function calls each topic, given its words and its typical documents."""
    model = result_of(fit)
    if not callable(function):
        raise not_allowed("function", function, "a function of words and documents")
    n_words = min(whole_number("n_words", n_words, 1), model.corpus.n_words)
    shown = _shown(model, texts)
    typical = typical_documents(model, n_docs)
    labels: dict[int, str] = {}
    for k, row in enumerate(model.topic_word):
        top = np.argsort(-row, kind="stable")[:n_words]
        words = [model.words[v] for v in top]
        label = function(words, [shown[d] for d in typical[k]])
        if not isinstance(label, str):
            raise InputError(
                f"the function returned {label!r:.40} for topic {k}: it must return a string, "
                "which may be empty for no label."
            )
        labels[k] = label.strip()
    return labels


def _shown(model: Any, texts: Sequence[str] | None) -> Sequence[str]:
    if texts is None:
        return model.corpus.doc_names or tuple(map(str, range(model.corpus.n_docs)))
    given = list(texts)
    if len(given) != model.corpus.n_docs:
        raise InputError(
            f"texts has {len(given)} texts, but there are {model.corpus.n_docs} documents: give "
            "one text for each training document, in the same order."
        )
    return given
