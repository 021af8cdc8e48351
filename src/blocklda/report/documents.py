"""Documents that are typical of topics: their proportions, and their words with their topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.report.coloured_text import Marks, beginning, coloured_text
from blocklda.report.given_texts import check_texts, require_words
from blocklda.report.numbers import shorts
from blocklda.report.words import WordTable
from blocklda.summaries.document_mixture import document_mixtures
from blocklda.summaries.entry_topics import entry_topics
from blocklda.summaries.fitted import Fitted
from blocklda.summaries.intervals import Estimates
from blocklda.summaries.typical_documents import typical_documents
from blocklda.text_settings import TextSettings

__all__ = ["typical"]

Ints = NDArray[np.int64]

DOCUMENTS_OF_A_TOPIC = (3, 10)
"""The fewest and the most documents that are shown of a topic."""

DOCUMENTS = 1000
"""About so many documents are on a page at most, unless there are very many topics."""

MIXTURE = 6
"""Topics of a document whose proportions are told."""

WORDS_OF_A_DOCUMENT = 40
"""Words of a document that are shown where there is no text of it, the most frequent ones."""

TEXT_CHARACTERS = 1_200_000
TEXT_LENGTHS = (400, 4000)
"""Characters of all texts together, and bounds of what is shown of one, counted from its start."""


def typical(
    model: Fitted, table: WordTable, texts: Sequence[str] | None, interval: float
) -> dict[str, Any]:
    """Return the documents of every topic, and a row for each of these documents."""
    given = None if texts is None else check_texts(texts, model.corpus.n_docs)
    fewest, most = DOCUMENTS_OF_A_TOPIC
    n_docs = min(max(DOCUMENTS // model.n_topics, fewest), most)
    of_topics = typical_documents(model, n_docs)
    docs = np.unique(of_topics)
    return {
        "of_topics": np.searchsorted(docs, of_topics).tolist(),
        "have_texts": given is not None,
        "rows": _rows(model, table, docs, given, interval),
    }


def _rows(
    model: Fitted, table: WordTable, docs: Ints, texts: Sequence[str] | None, interval: float
) -> list[dict[str, Any]]:
    names, lengths = model.corpus.doc_names, model.corpus.doc_lengths()
    mixtures = _mixtures(model, docs, interval)
    marks = _marks(model, docs)
    shortest, longest = TEXT_LENGTHS
    characters = min(max(TEXT_CHARACTERS // max(len(docs), 1), shortest), longest)
    settings = model.corpus.text_settings or TextSettings()
    rows = []
    for i, d in enumerate(docs.tolist()):
        row = {
            "number": d,
            "name": None if names is None else names[d],
            "tokens": int(lengths[d]),
            "mixture": mixtures[i],
        }
        start, end = model.corpus.doc_offsets[d : d + 2]
        columns = model.corpus.word_ids[start:end].astype(np.int64)
        if texts is None:
            row["words"] = _frequent_words(model, table, d, columns, marks[i])
        else:
            if model.corpus.text_settings is not None:
                require_words(texts[d], d, model.corpus)
            found = {model.words[v]: mark for v, mark in zip(columns, marks[i], strict=True)}
            excerpt = beginning(texts[d], characters)
            row["text"] = coloured_text(excerpt, found, settings)
            row["is_cut"] = len(excerpt) < len(texts[d])
        rows.append(row)
    return rows


def _mixtures(model: Fitted, docs: Ints, interval: float) -> list[list[list[Any]]]:
    """Return the largest proportions of each document: topic, mean, and the interval's ends."""
    if model.draws:
        found = document_mixtures(model, docs.tolist(), interval)
    else:
        means = model.doc_topic[docs]
        unknown = np.full(means.shape, np.nan)
        found = Estimates(means, unknown, unknown)
    order = np.argsort(-found.mean, axis=1, kind="stable")[:, :MIXTURE]
    return [
        [[k, *shorts([part[i, k] for part in found])] for k in of_document]
        for i, of_document in enumerate(order.tolist())
    ]


def _marks(model: Fitted, docs: Ints) -> list[Marks]:
    """Return the topic and its probability in per cent of every entry; None without draws."""
    if not model.draws:
        offsets = model.corpus.doc_offsets
        return [[None] * int(offsets[d + 1] - offsets[d]) for d in docs]
    return [
        list(zip(shares.argmax(axis=1).tolist(), _per_cent(shares.max(axis=1)), strict=True))
        for shares in entry_topics(model, docs.tolist())
    ]


def _per_cent(shares: NDArray[np.float64]) -> list[int]:
    rounded: list[int] = np.rint(100 * shares).astype(int).tolist()
    return rounded


def _frequent_words(
    model: Fitted, table: WordTable, doc: int, columns: Ints, marks: Marks
) -> list[list[int]]:
    """Return number on the page and count of the most frequent words, with topic and per cent."""
    start = model.corpus.doc_offsets[doc]
    counts = model.corpus.counts[start : start + len(columns)]
    held = np.flatnonzero(np.isin(columns, table.columns))
    chosen = held[np.argsort(-counts[held], kind="stable")[:WORDS_OF_A_DOCUMENT]]
    numbers = table.numbers(columns[chosen])
    return [
        [number, int(counts[i]), *(marks[i] or ())]
        for number, i in zip(numbers, chosen.tolist(), strict=True)
    ]
