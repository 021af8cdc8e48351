"""Topics find their partners in other chains, and those without one are flagged."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.results.stability import STABLE_BELOW, align_chains, stable_topics
from blocklda.support.errors import InputError

RNG = np.random.default_rng(0)
TOPICS = RNG.dirichlet(np.full(30, 0.1), size=6)


def test_permuted_topics_are_put_back() -> None:
    permutations = [RNG.permutation(6) for _ in range(3)]
    aligned = align_chains([TOPICS, *(TOPICS[p] for p in permutations)])
    for c, permutation in enumerate(permutations, start=1):
        np.testing.assert_array_equal(permutation[aligned.order[c]], np.arange(6))
    np.testing.assert_array_equal(aligned.order[0], np.arange(6))
    np.testing.assert_array_equal(aligned.distances, 0)
    stable = stable_topics(aligned.distances)
    assert stable is not None
    assert stable.all()


def test_a_topic_that_one_chain_lacks_is_not_stable() -> None:
    other = TOPICS[::-1].copy()
    other[2] = RNG.dirichlet(np.full(30, 0.1))  # in place of topic 3
    aligned = align_chains([TOPICS, TOPICS, other])
    stable = stable_topics(aligned.distances)
    assert stable is not None
    assert np.flatnonzero(~stable).tolist() == [3]
    assert aligned.distances[1, 3] == 0
    assert aligned.distances[2, 3] > STABLE_BELOW


def test_two_topics_that_became_one_are_not_stable() -> None:
    # A row and a column of the bars, of one size, which have a cell in common; the topic that this
    # leaves free copies a third one.
    bars = blocklda.simulate.bars(n_docs=1).topics
    merged = bars.copy()
    merged[0] = (bars[0] + bars[5]) / 2
    merged[5] = bars[7]
    aligned = align_chains([bars, merged])
    stable = stable_topics(aligned.distances)
    assert aligned.distances[1].max() == pytest.approx(0.8)
    assert stable is not None
    assert np.flatnonzero(~stable).tolist() == [0, 5]


def test_copies_of_a_topic_are_partners_whichever_way_round() -> None:
    twice = np.vstack([TOPICS, TOPICS[:1]])
    both = align_chains([twice, twice[::-1]])
    np.testing.assert_array_equal(both.distances, 0)
    assert sorted(both.order[1].tolist()) == list(range(7))
    # If the other chain has one copy only, one of the two is left without a partner.
    once = np.vstack([TOPICS, RNG.dirichlet(np.full(30, 0.1))[None]])
    stable = stable_topics(align_chains([twice, once]).distances)
    assert stable is not None
    assert stable[1:6].all()
    assert stable[0] != stable[6]


def test_with_one_chain_nothing_can_be_said() -> None:
    aligned = align_chains([TOPICS])
    assert aligned.order.tolist() == [list(range(6))]
    assert stable_topics(aligned.distances) is None


def test_what_cannot_be_aligned_is_refused() -> None:
    with pytest.raises(InputError, match="topic_words is empty"):
        align_chains([])


def test_of_a_chain_without_draws_nothing_is_known():
    assert stable_topics(np.array([[0.0, 0.0], [np.nan, np.nan]])) is None
    assert stable_topics(np.array([[0.0, 0.0]])) is None
