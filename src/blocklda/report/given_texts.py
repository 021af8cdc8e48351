"""Texts that users give beside a model: that they are those of its documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from blocklda.data.corpus import Corpus
from blocklda.data.text_settings import TextSettings
from blocklda.data.text_values import is_missing
from blocklda.report.coloured_text import found_words
from blocklda.support.errors import InputError, not_allowed

__all__ = ["check_texts", "require_words"]


def check_texts(texts: Any, n_docs: int) -> Sequence[str]:
    """Return the texts as a list, missing ones empty, or say what is wrong with them."""
    if isinstance(texts, str | bytes):
        raise InputError.of(
            "texts is one text: [give <a list with the text of every document>]."
        ).where(parameter="texts", value=texts)
    try:
        given = list(texts)
    except TypeError:
        raise not_allowed("texts", texts, "a list with the text of every document") from None
    if len(given) != n_docs:
        raise InputError(
            f"there are {len(given):,} texts, but the model has {n_docs:,} documents: give one "
            "text per document, in the order of the documents.",
            parameter="texts",
            value=texts,
        )
    given = ["" if is_missing(text) else text for text in given]
    wrong = next((i for i, text in enumerate(given) if not isinstance(text, str)), None)
    if wrong is not None:
        raise InputError.of("texts[[{wrong}]] is a {kind}, not a text: [give <strings>].").where(
            wrong=wrong, kind=type(given[wrong]).__name__, parameter="texts", value=texts
        )
    return given


def require_words(text: str, doc: int, corpus: Corpus) -> None:
    """Refuse a text whose words are not those that the corpus counted in this document."""
    if corpus.vocabulary is None:
        return
    settings = corpus.text_settings or TextSettings()
    if settings.ngrams[0] > 1 or settings.tokenizer is not None:
        return  # no word of its own was counted, or a function knows better where words are
    start, end = corpus.doc_offsets[doc], corpus.doc_offsets[doc + 1]
    counted = {
        corpus.vocabulary[v]: int(n)
        for v, n in zip(corpus.word_ids[start:end], corpus.counts[start:end], strict=True)
    }
    found = Counter(word for _, _, word in found_words(text, settings))
    wrong = next(
        (word for word, n in counted.items() if " " not in word and found[word] != n), None
    )
    if wrong is not None:
        raise InputError.of(
            "texts[[{doc}]] has the word {wrong!r:.40} {in_text} times, but document {doc} of the "
            "model has it {in_model} times: [give the texts that the model was fitted to, in the "
            "same order]."
        ).where(
            doc=doc, wrong=wrong, in_text=found[wrong], in_model=counted[wrong], parameter="texts"
        )
