"""Diversity and exclusivity: their definitions, limits and symmetries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda import InputError
from blocklda.evaluate import diversity, exclusivity


@st.composite
def topics_and_n_words(draw):
    """φ without ties, which random numbers have none of, and a number of top words."""
    n_topics, n_vocabulary = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    weights = rng.gamma(0.5, size=(n_topics, n_vocabulary)) + 1e-9
    phi = weights / weights.sum(axis=1)[:, None]
    return phi, draw(st.integers(1, n_vocabulary))


cases = topics_and_n_words()
invented = settings(derandomize=True, deadline=None)


@invented
@given(case=cases)
def test_both_are_their_definitions(case):
    phi, n_words = case
    tops = [sorted(range(phi.shape[1]), key=lambda v, row=row: -row[v])[:n_words] for row in phi]
    assert diversity(phi, n_words) == len(set(np.ravel(tops))) / (len(phi) * n_words)
    expected = [
        sum(phi[k, v] / sum(phi[j, v] for j in range(len(phi))) for v in words) / n_words
        for k, words in enumerate(tops)
    ]
    assert exclusivity(phi, n_words) == pytest.approx(expected, rel=1e-12)


@invented
@given(case=cases)
def test_they_stay_within_their_bounds(case):
    phi, n_words = case
    slack = 1e-12
    assert 1 / len(phi) - slack <= diversity(phi, n_words) <= 1
    shares = exclusivity(phi, n_words)
    assert shares.shape == (len(phi),)
    assert ((shares > 0) & (shares <= 1 + slack)).all()


@invented
@given(case=cases, seed=st.integers(0, 10**6))
def test_the_order_of_topics_and_words_means_nothing(case, seed):
    phi, n_words = case
    rng = np.random.default_rng(seed)
    topics, words = rng.permutation(phi.shape[0]), rng.permutation(phi.shape[1])
    other = phi[topics][:, words]
    assert diversity(other, n_words) == diversity(phi, n_words)
    expected = exclusivity(phi, n_words)[topics]
    assert exclusivity(other, n_words) == pytest.approx(expected, rel=1e-12)


@invented
@given(case=cases, copies=st.integers(2, 4))
def test_copies_of_topics_divide_both(case, copies):
    phi, n_words = case
    twins = np.vstack([phi] * copies)
    assert diversity(twins, n_words) == pytest.approx(diversity(phi, n_words) / copies)
    expected = np.tile(exclusivity(phi, n_words) / copies, copies)
    assert exclusivity(twins, n_words) == pytest.approx(expected, rel=1e-12)


@invented
@given(case=cases, n_topics=st.integers(1, 4))
def test_topics_with_words_of_their_own_have_1(case, n_topics):
    phi, n_words = case
    apart = np.kron(np.eye(n_topics), phi[:1])
    assert diversity(apart, n_words) == 1
    assert exclusivity(apart, n_words) == pytest.approx(np.ones(n_topics))


def test_equals_are_taken_in_the_order_of_the_columns():
    assert diversity([[0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 0.5, 0.5]], 2) == 1
    assert diversity([[0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0.0, 0.0]], 2) == 0.5


def test_a_word_that_no_topic_has_counts_0():
    assert exclusivity([[1.0, 0.0], [1.0, 0.0]], 2).tolist() == [0.25, 0.25]


@pytest.mark.parametrize("measure", [diversity, exclusivity])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[0.5, 0.5]], 0), "n_words=0 is not allowed: give a whole number from 1 to 2"),
        (([[0.5, 0.5]], 3), "n_words=3"),
        (([[0.5, 0.6]], 1), "row 0 of topic_word sums to 1.1"),
        (([0.5, 0.5], 1), "topic_word has the shape"),
    ],
)
def test_wrong_arguments_are_named(measure, arguments, said):
    with pytest.raises(InputError, match=said):
        measure(*arguments)
