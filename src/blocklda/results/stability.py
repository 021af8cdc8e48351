"""Which topics were found in which chains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from blocklda.results.alignment import find_partners, nearest_others
from blocklda.support.arrays import Bools, Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["STABLE_BELOW", "Alignment", "align_chains", "alike_topics", "stable_topics"]

STABLE_BELOW = 0.35
"""A topic is stable if in every chain at least 65 % of its probability is where its partner has it.

`python -m benchmarks.stability` prints what this rests on; docs/explanation/diagnostics.md has the
figures. The topics of one chain mostly lie about 0.8 from the nearest other one. So two
topics of one size that became one lie at 0.4 from either: they must not pass. Below that, a partner
is nearly always the nearest topic seen from either side, and most top words are the same; beyond,
both are gradually lost. A smaller limit would forbid what topics do by themselves: on KOS the first
and the last quarter of one chain differ by up to 0.34.
"""


class Alignment(NamedTuple):
    """The topics of several chains, each beside its partner in the reference chain.

    ``order[c, k]`` is the topic of chain c that is the partner of topic k of the reference chain,
    and ``distances[c, k]`` the total variation between the two. A topic without a partner, which
    only chains of different numbers of topics have, has −1 and the distance 1.
    """

    order: Ints
    distances: Floats
    reference: int = 0

    @property
    def found(self) -> Bools:
        """Which chains found each topic of the reference chain, shape (chains, topics)."""
        return np.asarray(self.distances < STABLE_BELOW)

    @property
    def n_found(self) -> Ints:
        """How many chains found each topic, the reference chain included."""
        return np.asarray(self.found.sum(axis=0))

    @property
    def nearest(self) -> Floats:
        """How far the nearest partner in another chain is; NaN with one chain."""
        others = np.delete(self.distances, self.reference, axis=0)
        known = others[~np.isnan(others).any(axis=1)]
        return np.asarray(known.min(axis=0) if len(known) else np.full(others.shape[1], np.nan))


def align_chains(
    topic_words: Sequence[Floats], groups: Ints | None = None, reference: int = 0
) -> Alignment:
    """Match the mean topics of every chain, each (topics, words), to those of the reference chain.

    The sum of the distances is as small as one-to-one partners allow. If two topics of a chain are
    alike, which of them becomes whose partner hardly changes a distance and means nothing.

    Each chain is asked for once, so a sequence that computes its items need not hold all of them.

    ``groups`` numbers kinds of topics, such as those with seed words or an α of their own: a
    topic's partner is of its own kind.
    """
    if not len(topic_words):
        raise InputError("topic_words is empty: give the mean topics of at least one chain.")
    target = np.asarray(topic_words[reference], dtype=np.float64)
    order, distances = [], []
    for c in range(len(topic_words)):
        if c == reference:
            order.append(np.arange(len(target)))
            distances.append(np.zeros(len(target)))
            continue
        topics = np.asarray(topic_words[c], dtype=np.float64)
        partners = find_partners(topics, target, groups)
        # Topic by topic: tables of differences would take as much memory as all topics again.
        pairs = zip(np.maximum(partners, 0), target, strict=True)
        found = np.array([np.abs(topics[k] - own).sum() / 2 for k, own in pairs])
        order.append(partners)
        distances.append(np.where(partners < 0, 1.0, found))
    return Alignment(np.array(order, dtype=np.int64), np.array(distances), reference)


def stable_topics(distances: Floats, below: float = STABLE_BELOW) -> Bools | None:
    """Return which topics have a partner closer than ``below`` in every chain.

    None if there is only one chain, in which nothing can be reproduced, or if an interrupt left a
    chain without draws, of whose topics nothing is known.

    Examples
    --------
    >>> import blocklda
    >>> from blocklda.results.stability import stable_topics
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_chains=2, n_sweeps=120, random_state=0, progress=False).fit(corpus)
    >>> stable_topics(lda.diagnostics().distances, below=0.5).shape
    (6,)
    """
    if len(distances) < 2 or np.isnan(distances).any():
        return None
    return np.asarray((distances < below).all(axis=0))


def alike_topics(topic_word: Floats) -> Bools:
    """Return which topics of one chain lie closer to another one of it than ``STABLE_BELOW``.

    Of such a topic it means little that another chain has a partner as close.
    """
    return np.asarray(nearest_others(topic_word) < STABLE_BELOW)
