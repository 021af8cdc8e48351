"""Which of the words of texts to keep, by the rules of scikit-learn's CountVectorizer."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.errors import InputError
from blocklda.text_settings import TextSettings

__all__ = ["choose_words"]


def choose_words(
    matrix: sparse.csc_matrix[np.int32],
    numbers: Mapping[str, int],
    left_out: AbstractSet[str],
    settings: TextSettings,
    place: str = "",
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the words to keep, sorted, and their columns.

    ``numbers`` has the column of each word in the counts, which have no stored zeros.
    """
    words = sorted(numbers.keys() - left_out)
    if not words:
        raise InputError(
            f"{place}no word is left to count: the texts are empty, or hold nothing but stop words "
            f"(stop_words={settings.stop_words!r:.40}) and what is no word to "
            f"token_pattern={settings.token_pattern!r:.80}; change these settings."
        )
    columns = np.fromiter(map(numbers.__getitem__, words), dtype=np.int64, count=len(words))
    allowed = _of_allowed_frequency(np.diff(matrix.indptr)[columns], matrix.shape[0], settings)
    if settings.max_words is not None and np.count_nonzero(allowed) > settings.max_words:
        allowed = _most_frequent(_totals(matrix)[columns], allowed, settings.max_words)
    kept = np.flatnonzero(allowed)
    if not len(kept):
        raise InputError(
            f"{place}no word is left to count: min_df={settings.min_df} and "
            f"max_df={settings.max_df} leave out all of them; lower min_df or raise max_df."
        )
    return tuple(words[i] for i in kept), columns[kept]


def _of_allowed_frequency(
    n_docs_with: NDArray[np.integer], n_docs: int, settings: TextSettings
) -> NDArray[np.bool_]:
    """Whether each word is in as many documents as the settings ask for."""
    least, most = (
        limit if isinstance(limit, Integral) else limit * n_docs
        for limit in (settings.min_df, settings.max_df)
    )
    return (n_docs_with >= least) & (n_docs_with <= most)


def _most_frequent(
    totals: NDArray[np.int64], allowed: NDArray[np.bool_], n: int
) -> NDArray[np.bool_]:
    """Choose n of the allowed words."""
    # The same sort of the same numbers as scikit-learn's, so that ties fall as they do there.
    order = (-totals[allowed]).argsort()[:n]
    chosen = np.zeros_like(allowed)
    chosen[np.flatnonzero(allowed)[order]] = True
    return chosen


def _totals(matrix: sparse.csc_matrix[np.int32]) -> NDArray[np.int64]:
    return np.asarray(matrix.sum(axis=0, dtype=np.int64)).ravel()
