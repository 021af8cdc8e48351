"""Which topic is which: topics have no order of their own, so two sets of them are matched."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from blocklda.support.arrays import Floats, Ints
from blocklda.support.distributions import check_distributions
from blocklda.support.errors import InputError

__all__ = ["find_partners", "match_topics", "nearest_others", "total_variation"]


def match_topics(phi: ArrayLike, reference: ArrayLike, groups: Ints | None = None) -> Ints:
    """Return the permutation ``order`` for which ``phi[order]`` lies closest to ``reference``.

    Row ``order[j]`` of ``phi`` is the partner of row j of ``reference``; every row has one partner.
    Among all permutations the sum of the total variation distances of the pairs is smallest: the
    assignment problem, solved exactly.

    Total variation is the probability that has to be moved to turn one topic into the other. A
    topic's rare words, whose estimates are mostly prior, hardly count in it; in the Hellinger
    distance, which takes square roots, they count far more.

    ``groups`` numbers kinds of topics, one number per row in both sets: a topic's partner is of its
    own kind.
    """
    topics = check_distributions("phi", phi)
    targets = check_distributions("reference", reference)
    if len(topics) != len(targets):
        raise InputError(
            f"phi has {len(topics)} topics and reference {len(targets)}: only equal numbers of "
            "topics can be matched one to one."
        )
    return find_partners(topics, targets, groups)


def find_partners(topics: Floats, reference: Floats, groups: Ints | None = None) -> Ints:
    """Return the row of ``topics`` that is the partner of each row of ``reference``, or −1.

    With different numbers of topics some have no partner: those that cost most to match.
    """
    distances = _distances(reference, topics)
    if groups is not None:
        # More than all distances of a matching together, so such pairs are never taken.
        distances[groups[:, None] != groups] = len(topics) + 1
    rows, columns = linear_sum_assignment(distances)
    partners = np.full(len(reference), -1, dtype=np.int64)
    partners[rows] = columns
    return partners


def total_variation(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return ½ Σ_v |p_v − q_v| for every row p of ``first`` and every row q of ``second``."""
    p = check_distributions("first", first)
    q = check_distributions("second", second)
    return _distances(p, q)


def nearest_others(topics: Floats) -> Floats:
    """Return how far the nearest other row is from each row, infinity for a single one."""
    distances = _distances(topics, topics)
    np.fill_diagonal(distances, np.inf)
    return np.asarray(distances.min(axis=1))


def _distances(p: Floats, q: Floats) -> Floats:
    if p.shape[1] != q.shape[1]:
        raise InputError(
            f"one set of topics has {p.shape[1]} words and the other {q.shape[1]}: both must have "
            "the same vocabulary."
        )
    return cdist(p, q, "cityblock") / 2
