"""Which of the words of texts to keep, by the rules of scikit-learn's CountVectorizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import compress
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.data.text_settings import TextSettings
from blocklda.support.arrays import AnyInts, Bools, Ints
from blocklda.support.errors import InputError

__all__ = ["Frequencies", "choose_by_frequency", "choose_words"]


def choose_words(
    matrix: sparse.csc_matrix[np.int32],
    numbers: Mapping[str, int],
    left_out: AbstractSet[str],
    settings: TextSettings,
    place: str = "",
) -> tuple[tuple[str, ...], Ints]:
    """Return the words to keep, sorted, and their columns.

    ``numbers`` has the column of each word in the counts, from 0 in its own order; the counts have
    no stored zeros.
    """
    frequencies = Frequencies(matrix.shape[0], np.diff(matrix.indptr), lambda: _totals(matrix))
    return choose_by_frequency(frequencies, numbers, left_out, settings, place)


@dataclass(frozen=True)
class Frequencies:
    """How often words occur: of how many documents, in how many each, and how often in all."""

    n_docs: int
    n_docs_with: AnyInts
    totals: Callable[[], Ints]


def choose_by_frequency(
    frequencies: Frequencies,
    numbers: Mapping[str, int],
    left_out: AbstractSet[str],
    settings: TextSettings,
    place: str = "",
) -> tuple[tuple[str, ...], Ints]:
    """Return the words to keep, sorted, and their columns, without the counts themselves."""
    counted = np.ones(len(numbers), dtype=np.bool_)
    counted[[numbers[word] for word in left_out if word in numbers]] = False
    if not counted.any():
        raise InputError.of(
            "{place}no word is left to count: the texts are empty, or contain only stop words "
            "({stop_words=:.40}) and text that {token_pattern=} does not match; [change these "
            "settings]."
        ).where(place=place, stop_words=settings.stop_words, token_pattern=settings.token_pattern)
    counted &= _of_allowed_frequency(frequencies.n_docs_with, frequencies.n_docs, settings)
    words = sorted(compress(numbers, counted.tolist()))
    if not words:
        raise InputError.of(
            "{place}no word is left to count: {min_df=} and {max_df=} leave out all of them; "
            "[lower {min_df} or raise {max_df}]."
        ).where(place=place, min_df=settings.min_df, max_df=settings.max_df)
    columns = np.fromiter(map(numbers.__getitem__, words), dtype=np.int64, count=len(words))
    if settings.max_words is None or len(words) <= settings.max_words:
        return tuple(words), columns
    kept = _most_frequent(frequencies.totals()[columns], settings.max_words)
    return tuple(words[i] for i in kept), columns[kept]


def _of_allowed_frequency(n_docs_with: AnyInts, n_docs: int, settings: TextSettings) -> Bools:
    """Return, for each word, True if it is in as many documents as the settings ask for."""
    least, most = (
        limit if isinstance(limit, Integral) else limit * n_docs
        for limit in (settings.min_df, settings.max_df)
    )
    return (n_docs_with >= least) & (n_docs_with <= most)


def _most_frequent(totals: Ints, n: int) -> NDArray[np.intp]:
    """Return the places of the n most frequent words, in order."""
    # The same sort of the same numbers as scikit-learn's, so that ties fall as they do there.
    return np.sort((-totals).argsort()[:n])


def _totals(matrix: sparse.csc_matrix[np.int32]) -> Ints:
    return np.asarray(matrix.sum(axis=0, dtype=np.int64)).ravel()
