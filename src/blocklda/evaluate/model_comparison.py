"""Two models side by side: which topics of the one are topics of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.results.alignment import find_partners
from blocklda.results.result import FitResult, result_of
from blocklda.results.stability import STABLE_BELOW
from blocklda.support import defaults
from blocklda.support.arrays import Floats
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ModelComparison", "TopicPair", "compare_models"]


@dataclass(frozen=True)
class TopicPair:
    """A topic of the first model and its partner in the second; None for a missing partner.

    ``distance`` is the total variation distance between their words, 1 without a partner;
    ``is_same`` is True if it is below the limit for topics that chains have in common.
    """

    first: int | None
    second: int | None
    distance: float
    is_same: bool
    first_words: tuple[str, ...]
    second_words: tuple[str, ...]


@dataclass(frozen=True)
class ModelComparison:
    """The result of :func:`compare_models`.

    Attributes
    ----------
    pairs
        The most similar pair first, topics without a partner last.
    n_shared_words
        Words that both models have, over which topics are compared.
    """

    pairs: tuple[TopicPair, ...]
    n_shared_words: int

    @property
    def n_same(self) -> int:
        """How many topics are in both models."""
        return sum(pair.is_same for pair in self.pairs)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with a row per pair."""
        pandas = import_extra("pandas", "pandas", "to_frame")
        frame: pd.DataFrame = pandas.DataFrame(
            {
                "first": pandas.array([pair.first for pair in self.pairs], dtype="Int64"),
                "second": pandas.array([pair.second for pair in self.pairs], dtype="Int64"),
                "distance": [pair.distance for pair in self.pairs],
                "same": [pair.is_same for pair in self.pairs],
                "first_words": [", ".join(pair.first_words) for pair in self.pairs],
                "second_words": [", ".join(pair.second_words) for pair in self.pairs],
            }
        )
        return frame


def compare_models(first: Any, second: Any, n_words: int = defaults.N_WORDS) -> ModelComparison:
    """Match the topics of two models one to one, over the words that both have.

    The models may have different numbers of topics and vocabularies. Each topic is restricted to
    the shared words; partners are such that the sum of the total variation distances is smallest.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> a, b = (
    ...     blocklda.LDA(6, n_sweeps=40, random_state=seed, progress=False).fit(corpus)
    ...     for seed in (0, 1)
    ... )
    >>> len(blocklda.evaluate.compare_models(a, b).pairs)
    6
    """
    a, b = result_of(first), result_of(second)
    n_words = whole_number("n_words", n_words, 1)
    of_first, of_second, n_shared = _over_shared_words(a, b)
    swapped = len(of_first) > len(of_second)
    small, large = (of_second, of_first) if swapped else (of_first, of_second)
    partners = find_partners(large, small)
    pairs = []
    for i, j in enumerate(partners.tolist()):
        distance = float(np.abs(small[i] - large[j]).sum() / 2)
        k, m = (j, i) if swapped else (i, j)
        pairs.append(_pair(a, b, k, m, distance, n_words))
    pairs.sort(key=lambda pair: pair.distance)
    lonely = sorted(set(range(len(large))) - set(partners.tolist()))
    for j in lonely:
        one, other = (j, None) if swapped else (None, j)
        pairs.append(_pair(a, b, one, other, 1.0, n_words))
    return ModelComparison(tuple(pairs), n_shared)


def _over_shared_words(a: FitResult, b: FitResult) -> tuple[Floats, Floats, int]:
    if a.corpus.vocabulary is None or b.corpus.vocabulary is None:
        if a.corpus.n_words != b.corpus.n_words:
            raise InputError(
                f"the models have {a.corpus.n_words} and {b.corpus.n_words} words, and at least "
                "one has no vocabulary: compare models with the same columns, or fit with a "
                "vocabulary."
            )
        return a.topic_word, b.topic_word, a.corpus.n_words
    columns = {word: v for v, word in enumerate(b.words)}
    shared = [(v, columns[word]) for v, word in enumerate(a.words) if word in columns]
    if not shared:
        raise InputError("the models have no word in common: compare models of similar texts.")
    of_a, of_b = np.array(shared).T
    return _restricted(a.topic_word, of_a), _restricted(b.topic_word, of_b), len(shared)


def _restricted(topic_word: Floats, columns: Any) -> Floats:
    rows = topic_word[:, columns]
    return np.asarray(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-300))


def _pair(
    a: FitResult, b: FitResult, k: int | None, m: int | None, distance: float, n_words: int
) -> TopicPair:
    is_same = distance < STABLE_BELOW
    return TopicPair(k, m, distance, is_same, _words(a, k, n_words), _words(b, m, n_words))


def _words(model: FitResult, k: int | None, n_words: int) -> tuple[str, ...]:
    if k is None:
        return ()
    top = np.argsort(-model.topic_word[k], kind="stable")[:n_words]
    return tuple(model.words[v] for v in top)
