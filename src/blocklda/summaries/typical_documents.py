"""The documents that have most of a topic."""

from __future__ import annotations

import numpy as np

from blocklda.results.result import FitResult
from blocklda.summaries.largest import largest
from blocklda.support.arrays import Ints
from blocklda.support.checks import whole_number

__all__ = ["typical_documents"]


def typical_documents(model: FitResult, n_docs: int) -> Ints:
    """Return the documents with the largest mean θ_dk of each topic, shape (topics, documents).

    The largest comes first, of equals the first document. Empty documents, whose topics are the
    prior's, are never among them; if fewer than ``n_docs`` others are there, these are all.
    """
    filled = np.flatnonzero(model.corpus.doc_lengths())
    n_found = min(whole_number("n_docs", n_docs, 1), len(filled))
    rows = [largest(model.doc_topic[filled, k], n_found) for k in range(model.n_topics)]
    return filled[np.array(rows, dtype=np.int64).reshape(model.n_topics, n_found)]
