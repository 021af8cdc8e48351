"""What the draws of a mixture say together: of pairs, of new documents, of how many there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp, softmax

from blocklda.data.corpus import Corpus
from blocklda.data.split import split_by_content
from blocklda.models.lda.new_documents.infer import Completion
from blocklda.models.mixture.draw import Draw
from blocklda.models.mixture.predictive import document_log_probability, in_parts, log_weights
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = [
    "completed",
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
        raise InputError("pairs must be whole numbers of shape (pairs, 2): two documents per row.")
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


def completed(corpus: Corpus, draws: Sequence[Draw], seed: int = defaults.SEED) -> Completion:
    """Return how well half of each new document predicts the other half.

    The component of a document is inferred from its observed half; a held-out token has the
    probability Σ_c p(c | half) φ_cv, new components included. It is the mean over the draws.
    """
    observed, heldout = split_by_content(corpus, seed)
    if heldout.n_tokens == 0:
        raise InputError("all documents are empty: there is nothing to predict.")
    documents, probabilities = observed.to_matrix(), np.zeros(heldout.n_entries)
    for draw in draws:
        beta = draw.priors.beta / draw.priors.beta_sum
        words = np.vstack([draw.topic_word(), beta])
        for part in in_parts(corpus.n_docs, len(draw.births)):
            entries = slice(heldout.doc_offsets[part.start], heldout.doc_offsets[part.stop])
            weights = softmax(log_weights(draw, documents[part]), axis=1)
            rows = np.repeat(
                np.arange(len(weights)),
                np.diff(heldout.doc_offsets[part.start : part.stop + 1]),
            )
            columns = heldout.word_ids[entries]
            # One pair of rows at a time: a table of entries and components could be large.
            probabilities[entries] += [
                weights[i] @ words[:, v] for i, v in zip(rows, columns, strict=True)
            ]
    return Completion.of(heldout, probabilities / len(draws))
