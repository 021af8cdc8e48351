"""Documents that are typical of topics: their proportions, and their words with their topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from blocklda.data.text_settings import TextSettings
from blocklda.report.coloured_text import Marks, beginning, coloured_text
from blocklda.report.given_texts import check_texts, require_words
from blocklda.report.page import shorts
from blocklda.report.words import WordTable
from blocklda.results.result import FitResult
from blocklda.summaries.documents import document_mixtures, entry_topics, typical_documents
from blocklda.summaries.intervals import Estimates
from blocklda.support.arrays import Floats, Ints

__all__ = ["typical"]


DOCUMENTS_OF_A_TOPIC = (3, 10)
"""The fewest and the most documents that are shown of a topic."""

DOCUMENTS = 1000
"""Approximate maximum of the documents on a page, unless there are very many topics."""

MIXTURE = 6
"""Number of topics of a document whose proportions are shown."""

WORDS_OF_A_DOCUMENT = 40
"""Words of a document that are shown where there is no text of it, the most frequent ones."""

TEXT_BYTES = 1_200_000
BYTES_OF_A_TEXT = (400, 4000)
"""Of all texts together, and bounds of what is shown of one from its start: marks come on top."""


def typical(
    model: FitResult, table: WordTable, texts: Sequence[str] | None, interval: float
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
    model: FitResult, table: WordTable, docs: Ints, texts: Sequence[str] | None, interval: float
) -> list[dict[str, Any]]:
    names, lengths = model.corpus.doc_names, model.corpus.doc_lengths()
    mixtures = _mixtures(model, docs, interval)
    fewest, most = BYTES_OF_A_TEXT
    n_bytes = min(max(TEXT_BYTES // max(len(docs), 1), fewest), most)
    rows = []
    for d, mixture, marks in zip(docs.tolist(), mixtures, _marks(model, docs), strict=True):
        shown = (
            {"words": _frequent_words(model, table, d, marks)}
            if texts is None
            else _text(model, d, texts[d], marks, n_bytes)
        )
        name = None if names is None else names[d]
        rows.append(
            {"number": d, "name": name, "tokens": int(lengths[d]), "mixture": mixture, **shown}
        )
    return rows


def _text(model: FitResult, doc: int, text: str, marks: Marks, n_bytes: int) -> dict[str, Any]:
    """Return the beginning of a text, cut into words that have a topic and what is between."""
    settings = model.corpus.text_settings
    if settings is not None:
        require_words(text, doc, model.corpus)
    columns, _ = _entries(model, doc)
    of_word = {model.words[v]: mark for v, mark in zip(columns, marks, strict=True)}
    excerpt = beginning(text, n_bytes)
    return {
        "text": coloured_text(excerpt, of_word, settings or TextSettings()),
        "is_cut": len(excerpt) < len(text),
    }


def _entries(model: FitResult, doc: int) -> tuple[Ints, Ints]:
    """Return the columns of a document's words, and how often it has each."""
    start, end = model.corpus.doc_offsets[doc : doc + 2]
    columns, counts = model.corpus.word_ids[start:end], model.corpus.counts[start:end]
    return columns.astype(np.int64), counts.astype(np.int64)


def _mixtures(model: FitResult, docs: Ints, interval: float) -> list[list[list[Any]]]:
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


def _marks(model: FitResult, docs: Ints) -> list[Marks]:
    """Return the topic and its probability in per cent of every entry; None without draws."""
    if not model.draws:
        offsets = model.corpus.doc_offsets
        return [[None] * int(offsets[d + 1] - offsets[d]) for d in docs]
    return [
        list(zip(shares.argmax(axis=1).tolist(), _per_cent(shares.max(axis=1)), strict=True))
        for shares in entry_topics(model, docs.tolist())
    ]


def _per_cent(shares: Floats) -> list[int]:
    rounded: list[int] = np.rint(100 * shares).astype(int).tolist()
    return rounded


def _frequent_words(model: FitResult, table: WordTable, doc: int, marks: Marks) -> list[list[int]]:
    """Return number on the page and count of the most frequent words, with topic and per cent."""
    columns, counts = _entries(model, doc)
    held = np.flatnonzero(np.isin(columns, table.columns))
    chosen = held[np.argsort(-counts[held], kind="stable")[:WORDS_OF_A_DOCUMENT]]
    numbers = table.numbers(columns[chosen])
    return [
        [number, int(counts[i]), *(marks[i] or ())]
        for number, i in zip(numbers, chosen.tolist(), strict=True)
    ]
