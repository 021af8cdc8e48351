"""Documents over the words of another corpus: columns found by name."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.support.errors import DataWarning, InputError

__all__ = ["over_vocabulary", "warn_of_unknown_words"]


def over_vocabulary(corpus: Corpus, like: Corpus) -> Corpus:
    """Return a corpus with the words of another, in its order.

    Where both have names words are found by them, and words that ``like`` does not have are left
    out with a warning. Where one has none the order is trusted, and the number must be the same.
    """
    if corpus.vocabulary is None or like.vocabulary is None:
        _require_same_number(corpus, like)
        return corpus if like.vocabulary is None else Corpus.from_matrix(corpus, like.vocabulary)
    if corpus.vocabulary == like.vocabulary:
        return corpus
    columns = {word: column for column, word in enumerate(like.vocabulary)}
    new_column = np.array([columns.get(word, -1) for word in corpus.vocabulary], dtype=np.int64)
    words = new_column[corpus.word_ids]
    known = words >= 0
    n_unknown = int(corpus.counts[~known].sum(dtype=np.int64))
    example = corpus.vocabulary[int(np.argmax(new_column < 0))]
    warn_of_unknown_words(n_unknown, corpus.n_tokens, f" (for example {example!r:.40})")
    docs = np.repeat(np.arange(corpus.n_docs), np.diff(corpus.doc_offsets))
    matrix = sparse.coo_matrix(
        (corpus.counts[known], (docs[known], words[known])), shape=(corpus.n_docs, like.n_words)
    )
    return Corpus.from_matrix(
        matrix,
        like.vocabulary,
        doc_names=corpus.doc_names,
        text_settings=corpus.text_settings,
        doc_index=corpus.doc_index,
    )


def _require_same_number(corpus: Corpus, like: Corpus) -> None:
    if corpus.n_words != like.n_words:
        raise InputError(
            f"the documents have {corpus.n_words} words and the model {like.n_words}, and without "
            "names they cannot be matched: give both a vocabulary."
        )


def warn_of_unknown_words(n_unknown: int, n_tokens: int, example: str = "") -> None:
    """Warn how many tokens of new documents the model does not know, if any."""
    if n_unknown:
        warnings.warn(
            DataWarning(
                f"{n_unknown:,} of {n_tokens:,} tokens are words that the model does not "
                f"know{example}; they are left out."
            ),
            stacklevel=4,
        )
