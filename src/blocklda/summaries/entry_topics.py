"""Which topics the words of a document have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blocklda.results.result import FitResult, require_draws
from blocklda.summaries.document_numbers import checked_documents
from blocklda.support.arrays import Floats, Ints

__all__ = ["entry_topics"]


def entry_topics(model: FitResult, docs: Sequence[int]) -> list[Floats]:
    """Return for each document the probabilities of topics of its words, (entries, topics).

    Row i is about the i-th entry of the document in the corpus: a word, and the probability that a
    token of it has each topic. Tokens of one word in one document are exchangeable, so that it is
    the mean over draws of n_dvk / n_dv. Topics are put beside their partners.
    """
    require_draws(model.draws, "entry_topics")
    corpus = model.corpus
    numbers = checked_documents(docs, corpus.n_docs)
    partner_of = np.argsort(model.alignment.order, axis=1)
    ends = np.cumsum(corpus.doc_lengths())
    return [_of_document(model, int(d), int(ends[d]), partner_of) for d in numbers]


def _of_document(model: FitResult, d: int, end: int, partner_of: Ints) -> Floats:
    counts = model.corpus.counts[model.corpus.doc_offsets[d] : model.corpus.doc_offsets[d + 1]]
    tokens = slice(end - int(counts.sum(dtype=np.int64)), end)
    first_cells = np.repeat(np.arange(len(counts)) * model.n_topics, counts)
    cells = [first_cells + partner_of[draw.chain, draw.topics[tokens]] for draw in model.draws]
    size = len(counts) * model.n_topics
    table = np.bincount(np.concatenate(cells), minlength=size).reshape(-1, model.n_topics)
    return np.asarray(table / (counts[:, None] * len(model.draws)))
