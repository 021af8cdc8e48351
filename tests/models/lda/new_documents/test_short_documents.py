"""Short documents are summed exactly: one call agrees with enumeration, and sampling does not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import blocklda
from blocklda.data.split import split_by_content
from blocklda.models.lda.new_documents.fold_in import MOST_STATES, Folding
from blocklda.models.lda.new_documents.infer import (
    N_SWEEPS,
    completion_log_probability,
    infer_doc_topics,
)
from tests.models.lda.new_documents.problems import CASES, KnownTopics, sampled_theta

AMBIGUOUS = np.array([[0.55, 0.25, 0.2], [0.2, 0.5, 0.3]])
"""Every word may come from either topic."""

TELLING = np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.1, 0.1, 0.8]])
"""Each topic has a word of its own, so a document of two words can be of either."""

ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)


def documents(n_tokens: int) -> Iterator[tuple[int, ...]]:
    """Yield every document of three words."""
    for counts in itertools.product(range(n_tokens + 1), repeat=3):
        if sum(counts) == n_tokens:
            yield counts


def grid() -> Iterator[KnownTopics]:
    for phi, alpha, n_tokens in itertools.product((AMBIGUOUS, TELLING), ALPHAS, range(2, 7)):
        for counts in documents(n_tokens):
            yield KnownTopics(counts, tuple(map(tuple, phi)), (alpha,) * len(phi))


def errors(problem: KnownTopics, theta: np.ndarray) -> float:
    return float(np.abs(theta - problem.exact()[0]).max())


def test_documents_of_two_to_six_tokens():
    worst = max(
        errors(
            problem,
            infer_doc_topics(
                blocklda.Corpus.from_matrix(problem.matrix), problem.phi, problem.alpha
            ),
        )
        for problem in grid()
    )
    assert worst < 1e-12


def test_as_many_sweeps_as_by_default_are_not_enough_for_them():
    """As a control: what is asked for is an error of 0.01 on average and 0.05 at worst."""
    found = [
        errors(
            problem,
            sampled_theta(
                blocklda.Corpus.from_matrix(problem.matrix),
                [problem.phi],
                problem.alpha,
                n_sweeps=N_SWEEPS,
            ),
        )
        for problem in itertools.islice(grid(), 0, None, 7)
    ]
    assert np.mean(found) > 0.01
    assert max(found) > 0.05


@pytest.mark.parametrize("name", CASES)
def test_asymmetric_priors_and_missing_words(name):
    problem = CASES[name]
    corpus = blocklda.Corpus.from_matrix(problem.matrix)
    assert errors(problem, infer_doc_topics(corpus, problem.phi, problem.alpha)) < 1e-12


def test_several_phi_give_the_mean_over_them():
    rng = np.random.default_rng(2)
    phis = rng.dirichlet(np.full(4, 0.4), (11, 3))
    counts, alpha = (2, 0, 1, 3), (0.05, 0.2, 0.1)
    exact = [KnownTopics(counts, tuple(map(tuple, phi)), alpha).exact()[0] for phi in phis]
    corpus = blocklda.Corpus.from_matrix(np.array([counts]))
    theta = infer_doc_topics(corpus, phis, alpha)[0]
    np.testing.assert_allclose(theta, np.mean(exact, axis=0), rtol=1e-12)


def test_held_out_halves_of_short_documents():
    """`score` and `perplexity` are exact given how a document was divided."""
    for problem in itertools.islice(grid(), 0, None, 5):
        corpus = blocklda.Corpus.from_matrix(problem.matrix)
        observed, heldout = split_by_content(corpus, 0)
        half = KnownTopics(tuple(observed.to_matrix().toarray()[0]), problem.phi, problem.alpha)
        probabilities = half.exact()[0] @ np.array(problem.phi)
        expected = heldout.to_matrix().toarray()[0] @ np.log(probabilities)
        result = completion_log_probability(corpus, problem.phi, problem.alpha)
        assert result.log_probabilities[0] == pytest.approx(expected, rel=1e-12)


def test_an_empty_document_has_the_mean_of_the_prior():
    corpus = blocklda.Corpus.from_matrix(np.zeros((1, 3), dtype=int))
    theta = infer_doc_topics(corpus, TELLING, (1.0, 2.0, 5.0))[0]
    np.testing.assert_allclose(theta, [0.125, 0.25, 0.625], rtol=1e-15)


@pytest.mark.parametrize("alpha", [1e-150, 1e-30, 1e8, 1e150])
@pytest.mark.parametrize("backend", ["native", "python"])
def test_priors_at_the_end_of_their_range(alpha, backend):
    """What is out of the range of the sums is sampled, and what is within is summed."""
    corpus = blocklda.Corpus.from_matrix(np.array([[4, 0, 2]]))
    theta = infer_doc_topics(corpus, TELLING, alpha, backend=backend)[0]
    assert np.array_equal(theta, infer_doc_topics(corpus, TELLING, alpha)[0])
    expected = np.full(3, 1 / 3)
    if alpha < 1:  # all tokens in one topic, or the prior would be paid twice
        weights = TELLING[:, 0] ** 4 * TELLING[:, 2] ** 2
        expected = weights / weights.sum()
    np.testing.assert_allclose(theta, expected, atol=1e-6 if alpha != 1e-150 else 1)


def test_words_that_repeat_make_longer_documents_short():
    """∏_v (C_dv + 1) vectors of counts, not 2^N."""
    counts, alpha = (6, 5, 5), (0.02, 0.5)
    assert np.prod(np.array(counts) + 1) <= min(MOST_STATES.values())
    problem = KnownTopics(counts, tuple(map(tuple, AMBIGUOUS)), alpha)
    corpus = blocklda.Corpus.from_matrix(problem.matrix)
    assert errors(problem, infer_doc_topics(corpus, problem.phi, alpha)) < 1e-12


LONGER = {0.01: (9, 12), 0.04: (12,), 0.1: (10,)}
"""Lengths of documents without repeated words that are summed exactly, by α."""


@pytest.mark.parametrize("alpha", LONGER)
def test_documents_that_small_priors_make_hard(alpha):
    """With a small α a chain hardly leaves its mode, so longer documents are summed, too."""
    rng = np.random.default_rng(5)
    for n_tokens in LONGER[alpha]:
        phi = rng.dirichlet(np.full(n_tokens, 0.5), 2)
        problem = KnownTopics((1,) * n_tokens, tuple(map(tuple, phi)), (alpha, alpha))
        corpus = blocklda.Corpus.from_matrix(problem.matrix)
        assert errors(problem, infer_doc_topics(corpus, problem.phi, problem.alpha)) < 1e-12


def test_twins_agree_on_longer_documents_with_several_phi():
    """More φ than the kernel adds up at once."""
    rng = np.random.default_rng(6)
    phis = rng.dirichlet(np.full(9, 0.5), (19, 3))
    corpus = blocklda.Corpus.from_matrix(np.array([[1, 1, 1, 1, 1, 1, 1, 1, 2]]))
    native, python = (
        infer_doc_topics(corpus, phis, 0.01, backend=name) for name in ("native", "python")
    )
    assert np.array_equal(native, python)


def test_how_many_states_are_summed_depends_on_the_mean_of_the_prior():
    def most(alpha: object) -> int:
        corpus = blocklda.Corpus.from_matrix(np.array([[1, 0, 1]]))
        return Folding.create(corpus, [TELLING], alpha, N_SWEEPS, 0, 0, "native", 1).most_states

    assert [most(alpha) for alpha in (0.01, 0.1, 1.0)] == [4096, 1024, 256]
    assert most((0.01, 0.01, 0.7)) == 256
