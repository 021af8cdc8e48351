"""Which topics come back in every chain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from blocklda.results.alignment import find_partners
from blocklda.support.arrays import Bools, Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["STABLE_BELOW", "Alignment", "align_chains", "stable_topics"]

STABLE_BELOW = 0.35
"""A topic is stable if in every chain at least 65 % of its probability is where its partner has it.

`python -m benchmarks.stability` prints what this rests on; docs/diagnostics.md has the figures. The
topics of one chain mostly lie about 0.8 from the nearest other one, on the bars as on KOS. So two
topics of one size that became one lie at 0.4 from either: they must not pass. Below that, a partner
is nearly always the nearest topic seen from either side, and most top words are the same; beyond,
both get lost by and by. A smaller limit would forbid what topics do by themselves: on KOS the first
and the last quarter of one chain differ by up to 0.34.
"""


class Alignment(NamedTuple):
    """The topics of several chains, each put beside its partner in the first chain.

    ``order[c, k]`` is the topic of chain c that is the partner of topic k of the first chain, and
    ``distances[c, k]`` the total variation between the two. A topic without a partner, which only
    chains of different numbers of topics have, has −1 and the distance 1.
    """

    order: Ints
    distances: Floats


def align_chains(topic_words: Iterable[Floats], groups: Ints | None = None) -> Alignment:
    """Match the mean topics of every chain, each (topics, words), to those of the first chain.

    The sum of the distances is as small as one-to-one partners allow. If two topics of a chain are
    alike, which of them becomes whose partner hardly changes a distance and means nothing.

    Chains are taken one by one, so a generator need not have all of them at once.

    ``groups`` numbers kinds of topics, such as those with seed words or an α of their own: a
    topic's partner is of its own kind.
    """
    chains = iter(topic_words)
    first = next(chains, None)
    if first is None:
        raise InputError("topic_words is empty: give the mean topics of at least one chain.")
    reference = np.asarray(first, dtype=np.float64)
    order = [np.arange(len(reference))]
    distances = [np.zeros(len(reference))]
    for chain in chains:
        topics = np.asarray(chain, dtype=np.float64)
        partners = find_partners(topics, reference, groups)
        found = np.abs(topics[np.maximum(partners, 0)] - reference).sum(axis=1) / 2
        order.append(partners)
        distances.append(np.where(partners < 0, 1.0, found))
    return Alignment(np.array(order, dtype=np.int64), np.array(distances))


def stable_topics(distances: Floats, below: float = STABLE_BELOW) -> Bools | None:
    """Return which topics have a partner closer than ``below`` in every chain.

    None if there is only one chain, in which nothing can come back, or if an interrupt left a chain
    without draws, of whose topics nothing is known.
    """
    if len(distances) < 2 or np.isnan(distances).any():
        return None
    return np.asarray((distances[1:] < below).all(axis=0))
