"""Topics of new documents against enumeration: topics of the fit fixed, new ones collapsed."""

from __future__ import annotations

from itertools import product
from math import factorial
from unittest.mock import patch

import numpy as np
import pytest
from scipy import stats

import blocklda
from blocklda.models.hdp.new_documents import (
    FrozenTopics,
    NewDocument,
    completed,
    inferred_topics,
)
from blocklda.models.hdp.state import Levels
from tests.exact.fit import ACCEPT, REJECT
from tests.models.hdp.problem import rising, set_partitions, stirling
from tests.mutants.hdp import NEW_DOCUMENT_MUTANTS

PHI = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
TAU = np.array([0.35, 0.15, 0.5])
LEVELS = Levels(alpha0=6.0, gamma=2.0, beta=0.2)
TOPICS = FrozenTopics.of(PHI, TAU, LEVELS)
PER_WORD = FrozenTopics.of(PHI, TAU, Levels(6.0, 2.0, np.array([0.05, 1.5, 0.4])))
WORDS = np.array([0, 0, 0, 2])


def weight_of_new(counts: list[np.ndarray], beta: np.ndarray) -> float:
    """Return what new topics with these counts by word weigh together, tables summed."""
    A, gamma = LEVELS.alpha0 * TAU[-1], LEVELS.gamma
    total = 0.0
    for tables in product(*(range(1, int(n.sum()) + 1) for n in counts)):
        term = gamma ** len(counts) * A ** sum(tables) / rising(gamma, sum(tables))
        for n, m in zip(counts, tables, strict=True):
            term *= stirling(int(n.sum()), m) * factorial(m - 1)
        total += term
    for n in counts:
        of_words = [rising(float(b), int(c)) for c, b in zip(n, beta, strict=True)]
        total *= np.prod(of_words) / rising(float(beta.sum()), int(n.sum()))
    return float(total)


def exact(topics: FrozenTopics = TOPICS) -> np.ndarray:
    """Return the mean of θ, the last column being everything else."""
    beta = np.broadcast_to(topics.levels.beta, 3)
    theta, total = np.zeros(3), 0.0
    for places in product((0, 1, None), repeat=len(WORDS)):
        new = [t for t, place in enumerate(places) if place is None]
        n = np.array([places.count(0), places.count(1)])
        weight = np.prod([rising(LEVELS.alpha0 * TAU[k], int(n[k])) for k in (0, 1)])
        weight *= np.prod([PHI[k, WORDS[t]] for t, k in enumerate(places) if k is not None])
        for classes in set_partitions(len(new)):
            n_classes = max(classes, default=-1) + 1
            counts = [np.zeros(3, dtype=int) for _ in range(n_classes)]
            for t, k in zip(new, classes, strict=True):
                counts[k][WORDS[t]] += 1
            one = weight * (weight_of_new(counts, beta) if new else 1.0)
            held = np.append(n, len(new)) + LEVELS.alpha0 * TAU
            theta += one * held / (len(WORDS) + LEVELS.alpha0)
            total += one
    return theta / total


ONE_FOR_THE_REST = FrozenTopics.of(
    np.vstack([PHI, np.full(3, 1 / 3)]), np.append(TAU, 1e-300), LEVELS
)
"""What is left of the stick as one topic, whose words are as the prior has them."""


def documents(topics: FrozenTopics, words: np.ndarray, n: int, seed: int) -> list[NewDocument]:
    """Return as many equal documents, each with random numbers of its own."""
    own, counts = np.unique(words, return_counts=True)
    generators = np.random.default_rng(seed).spawn(n)
    return [NewDocument(topics, own, counts, generator) for generator in generators]


def p_value(topics: FrozenTopics, n: int, truth: FrozenTopics = TOPICS) -> float:
    """Return how well the means of 60 documents agree with the exact one."""
    seen = []
    for document in documents(topics, WORDS, 60, 3):
        for _ in range(20):
            document.sweep()
        states = []
        for _ in range(n):
            document.sweep()
            states.append(document.places())
        seen.append(document.theta(states)[:3])
    means = np.array(seen)
    z = (means.mean(axis=0) - exact(truth)) / (means.std(axis=0, ddof=1) / np.sqrt(60))
    return float(3 * 2 * stats.t.sf(np.abs(z).max(), 59))


def test_new_documents_agree_with_enumeration():
    assert p_value(TOPICS, 200) > ACCEPT


def test_new_documents_agree_with_enumeration_if_words_have_priors_of_their_own():
    assert p_value(PER_WORD, 200, PER_WORD) > ACCEPT


def test_the_rest_of_the_stick_is_not_one_topic():
    assert p_value(ONE_FOR_THE_REST, 100) < REJECT


@pytest.mark.parametrize("mutant", NEW_DOCUMENT_MUTANTS)
def test_wrong_blocks_of_new_documents_are_rejected(mutant):
    topics = PER_WORD if mutant == "equal words in new topics" else TOPICS
    with patch("blocklda.models.hdp.new_documents.OwnTopics", NEW_DOCUMENT_MUTANTS[mutant]):
        assert p_value(topics, 200, topics) < REJECT


def test_one_token_is_exact():
    """θ of a single token, by its probabilities."""
    weights = np.append(LEVELS.alpha0 * TAU[:2] * PHI[:, 1], LEVELS.alpha0 * TAU[2] / 3)
    expected = (weights / weights.sum() + LEVELS.alpha0 * TAU) / (1 + LEVELS.alpha0)
    (made,) = documents(TOPICS, np.array([1]), 1, 1)
    theta = np.zeros(3)
    for _ in range(2_000):
        made.sweep()
        theta += made.theta() / 2_000
    assert theta == pytest.approx(expected, abs=0.01)


def test_probabilities_of_words_sum_to_one():
    for topics, words in product((TOPICS, PER_WORD), (WORDS, WORDS[:0])):
        for made in documents(topics, words, 20, 2):
            made.sweep()
            rest = made.rest_of_words(np.arange(3))
            assert (made.theta()[:-1] @ PHI + rest).sum() == pytest.approx(1)


def test_half_of_a_document_predicts_the_other():
    corpus = blocklda.Corpus.from_matrix(np.array([[9, 1, 0], [0, 0, 0], [0, 1, 9]]))
    done = completed(corpus, [TOPICS, TOPICS])
    assert done.n_tokens.tolist() == [5, 0, 5]
    assert 1 < done.perplexity < 3
    with pytest.raises(blocklda.InputError, match="empty"):
        completed(blocklda.Corpus.from_matrix(np.zeros((2, 3), dtype=int)), [TOPICS])


def test_a_row_depends_on_its_own_words_alone():
    matrix = np.array([[3, 0, 1], [0, 0, 0], [1, 2, 1], [3, 0, 1]])
    rows = inferred_topics(blocklda.Corpus.from_matrix(matrix), TOPICS)
    alone = inferred_topics(blocklda.Corpus.from_matrix(matrix[2:]), TOPICS)
    assert np.array_equal(rows[2:], alone)
    assert np.array_equal(rows[0], rows[3])
    assert rows[1] == pytest.approx(TAU)
