"""What the draws of a mixture say together: of pairs, of new documents, of how many there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from blocklda.data.corpus import Corpus
from blocklda.models.mixture.draw import Draw
from blocklda.models.mixture.predictive import document_log_probability, in_parts, log_weights
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = [
    "component_probabilities",
    "log_predictive",
    "persistence",
    "similarity",
]


def persistence(shown: Draw, draws: Sequence[Draw]) -> Floats:
    """Return in which share of the draws of a chain each component of a draw has documents."""
    if not draws:
        return np.full(len(shown.births), np.nan)
    lives = np.zeros(len(shown.births))
    for draw in draws:
        lives += np.isin(shown.births, draw.births[draw.sizes > 0])
    return np.asarray(lives / len(draws))


def similarity(draws: Sequence[Draw], pairs: ArrayLike) -> Floats:
    """Return in which share of the draws the two documents of each pair share a component."""
    checked = _checked_pairs(pairs, len(draws[0].labels))
    first, second = checked[:, 0], checked[:, 1]
    shared = np.zeros(len(checked))
    for draw in draws:
        shared += draw.labels[first] == draw.labels[second]
    return np.asarray(shared / len(draws))


def _checked_pairs(pairs: ArrayLike, n_docs: int) -> Ints:
    found = np.asarray(pairs)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InputError("pairs must be whole numbers of shape (pairs, 2): two documents in a row.")
    if found.size and (found.min() < 0 or found.max() >= n_docs):
        raise InputError(
            f"pairs names documents that do not exist: give numbers from 0 to {n_docs - 1}."
        )
    return found.astype(np.int64)


def component_probabilities(draws: Sequence[Draw], shown: Draw, corpus: Corpus) -> Floats:
    """Return p(component of ``shown`` | document), the mean over draws of the same chain.

    One more column of a Dirichlet process has all others: new ones, and those that ``shown`` lacks.
    """
    is_finite = shown.priors.n_components is not None
    n_shown = len(shown.births)
    documents = corpus.to_matrix()
    mean = np.zeros((corpus.n_docs, n_shown + 1))
    place_of = {birth: place for place, birth in enumerate(shown.births.tolist())}
    for draw in draws:
        places = np.array([*(place_of.get(b, n_shown) for b in draw.births.tolist()), n_shown])
        known = np.flatnonzero(places < n_shown)
        for part in in_parts(corpus.n_docs, len(draw.births)):
            found = log_weights(draw, documents[part])
            found = np.exp(found - logsumexp(found, axis=1, keepdims=True))
            mean[part, places[known]] += found[:, known]
            mean[part, n_shown] += np.delete(found, known, axis=1).sum(axis=1)
    mean /= mean.sum(axis=1, keepdims=True)
    return mean[:, :-1] if is_finite else mean


def log_predictive(draws: Sequence[Draw], corpus: Corpus) -> Floats:
    """Return the log of the mean over draws of p(document | draw), one number per document."""
    documents = corpus.to_matrix()
    found = np.array([document_log_probability(draw, documents) for draw in draws])
    return np.asarray(logsumexp(found, axis=0) - np.log(len(draws)))
