"""A corpus in one line: how large it is, and how its texts were counted."""

from __future__ import annotations

from typing import Any, Protocol

from blocklda.data.text_settings import TextSettings

__all__ = ["SizedCorpus", "corpus_facts", "corpus_line"]


class SizedCorpus(Protocol):
    """Documents of which the sizes and the words are known, wherever they are."""

    @property
    def n_docs(self) -> int:
        """Documents."""

    @property
    def n_words(self) -> int:
        """Words of the vocabulary."""

    @property
    def n_tokens(self) -> int:
        """Tokens."""

    @property
    def vocabulary(self) -> tuple[str, ...] | None:
        """The words, None if they have no names."""

    @property
    def text_settings(self) -> TextSettings | None:
        """How texts were counted, None if there were none."""


def corpus_line(corpus: SizedCorpus) -> str:
    """Return the line for people."""
    size = f"{corpus.n_docs:,} documents, {corpus.n_words:,} words, {corpus.n_tokens:,} tokens"
    if corpus.text_settings is None:
        return size
    return f"{size} (texts counted {_described(corpus.text_settings)})"


def corpus_facts(corpus: SizedCorpus) -> dict[str, Any]:
    """Return the same for programs."""
    settings = corpus.text_settings
    return {
        "documents": corpus.n_docs,
        "words": corpus.n_words,
        "tokens": corpus.n_tokens,
        "text_settings": None if settings is None else settings.to_dict(),
    }


def _described(settings: TextSettings) -> str:
    """Return how texts were split into words, leaving out default settings."""
    parts = ["in lower case" if settings.lowercase else "with case kept"]
    if settings.has_tokens:
        parts.append("given as lists of words")
    elif settings.tokenizer is not None:
        parts.append(f"split into words by {settings.tokenizer}")
    if settings.stop_words == "english":
        parts.append("without English stop words")
    elif settings.stop_words != "none":
        parts.append(f"without {len(settings.stop_words)} stop words")
    if settings.min_df != TextSettings.min_df:
        parts.append(f"words in at least {_documents(settings.min_df)}")
    if settings.max_df != TextSettings.max_df:
        parts.append(f"words in at most {_documents(settings.max_df)}")
    if settings.ngrams[1] > 1:
        parts.append(f"sequences of up to {settings.ngrams[1]} words")
    if isinstance(settings.phrases, tuple):
        parts.append(f"{len(settings.phrases):,} phrases")
    if settings.max_words is not None:
        parts.append(f"the {settings.max_words:,} most frequent words")
    return ", ".join(parts)


def _documents(frequency: float) -> str:
    if isinstance(frequency, float):
        return f"{100 * frequency:.4g} % of the documents"
    return f"{frequency} document{'' if frequency == 1 else 's'}"
