"""Topics as points in the plane: those that share words lie close together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from blocklda.results.result import FitResult
from blocklda.support.arrays import Floats

__all__ = ["TopicMap", "topic_map"]


WORDS_AT_ONCE = 4096
"""Columns of φ whose roots are taken together: 32 MB of them for 1,000 topics."""

NOTHING = 1e-10
"""A spread per topic of less than this is rounding; that of topics without common words is 1."""

ALIKE = 1e-9
"""Coordinates that differ by less than this share are the same but for rounding."""


@dataclass(frozen=True, eq=False)
class TopicMap:
    """Where the topics lie.

    Attributes
    ----------
    positions
        Of the mean topics, shape (topics, 2).
    chain_positions
        Of every chain's own topics, shape (chains, topics, 2); under k is the partner of topic k.
        NaN for a chain without draws, and where a topic has no partner.
    shown
        What share of the topics' spread each axis shows, shape (2,): the rest is not in the plane.
    """

    positions: Floats
    chain_positions: Floats
    shown: Floats


def topic_map(model: FitResult) -> TopicMap:
    """Return the two principal components of √φ, of the mean topics and of every chain's topics.

    The Euclidean distance of √φ of two topics is √2 times their Hellinger distance. So this is the
    classical scaling of Hellinger distances, and a plane cannot show more of them. The axes are
    those of the mean topics. Their direction means nothing; of each the largest coordinate is made
    positive, so that the same model always gives the same map.
    """
    phi = model.topic_word
    vectors, spreads, shown = _components(phi)
    axes = np.empty((phi.shape[1], 2))
    middle = np.empty(phi.shape[1])
    scales = np.divide(1, np.sqrt(spreads), out=np.zeros(2), where=spreads > 0)
    for piece, roots in _roots(phi):
        axes[piece] = roots.T @ vectors * scales
        middle[piece] = roots.mean(axis=0)
    chains = np.full((model.n_chains, *vectors.shape), np.nan)
    for chain, means in enumerate(model.chain_means):
        if means is None:
            continue
        own = np.zeros((len(means.topic_word_sum), 2))
        for piece, roots in _roots(means.topic_word_sum, means.n_draws):
            own += (roots - middle[piece]) @ axes[piece]
        partners = model.alignment.order[chain]
        chains[chain] = np.where(partners[:, None] < 0, np.nan, own[partners])
    return TopicMap(vectors * np.sqrt(spreads), chains, shown)


def _components(phi: Floats) -> tuple[Floats, Floats, Floats]:
    """Return two eigenvectors of the centred products of √φ, their values, and shares of all.

    The products of K topics with each other are a K × K matrix whatever the vocabulary. Where there
    is no second or first axis, vector and value are 0.
    """
    n_topics = len(phi)
    products = np.zeros((n_topics, n_topics))
    for _, roots in _roots(phi):
        products += roots @ roots.T
    products -= products.mean(axis=0)
    products -= products.mean(axis=1)[:, None]
    values, vectors = eigh(products, subset_by_index=[max(0, n_topics - 2), n_topics - 1])
    total = float(np.trace(products))
    found = np.zeros((n_topics, 2))
    spreads = np.zeros(2)
    for axis in range(len(values)):
        if values[-1 - axis] > NOTHING * n_topics:
            found[:, axis] = _pointing_up(vectors[:, -1 - axis])
            spreads[axis] = values[-1 - axis]
    return found, spreads, spreads / total if spreads.any() else np.zeros(2)


def _pointing_up(vector: Floats) -> Floats:
    sizes = np.abs(vector)
    # Two ends may be equally far: whichever rounding makes the larger, the first one decides.
    first = int(np.argmax(sizes >= (1 - ALIKE) * sizes.max()))
    return vector if vector[first] > 0 else -vector


def _roots(rows: Floats, divisor: int = 1) -> Iterator[tuple[slice, Floats]]:
    """Yield √(rows / divisor), some columns at a time: a root of all would double the memory."""
    for start in range(0, rows.shape[1], WORDS_AT_ONCE):
        piece = slice(start, min(start + WORDS_AT_ONCE, rows.shape[1]))
        yield piece, np.sqrt(rows[:, piece] / divisor)
