"""Optimised priors: where the gradient is zero, whatever the counts, and near the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

import blocklda
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.prior_learning.optimised import optimised
from blocklda.models.lda.prior_learning.row_counts import asymmetric_counts, doc_counts, word_counts
from tests.models.lda.prior_learning.likelihood import log_likelihood, log_posterior_of_log
from tests.models.lda.prior_learning.truth import simulated

PRIORS = ((1.0, 1.0), (0.1, 0.01), (5.0, 20.0))


def swept_chain(n_topics: int = 4) -> blocklda.Chain:
    """A chain on counts with an empty document and an unused word, one topic without tokens."""
    counts = np.random.default_rng(0).poisson(0.8, size=(30, 10))
    counts[4], counts[:, 3] = 0, 0
    chain = blocklda.Chain(counts, n_topics - 1, sampler="nested", seed=1)
    chain.sweep(5)
    return blocklda.Chain(counts, n_topics, init=chain.assignments())


def best(objective, x: np.ndarray) -> np.ndarray:
    """Maximise over log x by SciPy, to compare with."""
    found = optimize.minimize(
        lambda logs: -objective(np.exp(logs)), np.log(x), method="BFGS", options={"gtol": 1e-6}
    )
    return np.exp(found.x)


@pytest.mark.parametrize("prior", PRIORS)
def test_an_alpha_for_each_topic_is_at_the_mode(prior):
    chain = swept_chain()
    n_dk = chain.doc_topic_counts()
    assert n_dk[:, -1].sum() == 0
    counts, start = asymmetric_counts(chain.state, chain.state.cells()), chain.priors.alpha
    found = optimised(counts, start, prior, tolerance=1e-10, max_iterations=100_000)
    expected = best(lambda x: log_posterior_of_log(n_dk, x, prior), start)
    np.testing.assert_allclose(found, expected, rtol=1e-3)
    gradient = optimize.approx_fprime(
        np.log(found), lambda logs: log_posterior_of_log(n_dk, np.exp(logs), prior), 1e-6
    )
    # Second derivatives are about the numbers of tables, up to a few hundred: 1e-6 of them.
    np.testing.assert_allclose(gradient, 0, atol=1e-3)


@pytest.mark.parametrize("prior", PRIORS)
def test_one_alpha_and_one_beta_are_at_their_modes(prior):
    chain = swept_chain()
    tables = chain.doc_topic_counts(), chain.topic_word_counts()
    for counts_of, table in zip((doc_counts, word_counts), tables, strict=True):
        counts = counts_of(chain.state, chain.state.cells())
        found = optimised(counts, np.array([0.7]), prior, 1e-10, 100_000)

        def objective(x, table=table):
            likelihood = log_likelihood(table, np.full(table.shape[1], x[0]))
            return likelihood + prior[0] * np.log(x[0]) - prior[1] * x[0]

        np.testing.assert_allclose(found, best(objective, np.array([0.7])), rtol=1e-4)


def test_every_iteration_raises_the_density():
    chain = swept_chain()
    counts, n_dk = asymmetric_counts(chain.state, chain.state.cells()), chain.doc_topic_counts()
    x, prior = np.array([5.0, 0.01, 1.0, 2.0]), (1.0, 1.0)
    values = [log_posterior_of_log(n_dk, x, prior)]
    for _ in range(30):
        x = optimised(counts, x, prior, max_iterations=1)
        values.append(log_posterior_of_log(n_dk, x, prior))
    assert (np.diff(values) > -1e-9).all()


@pytest.mark.parametrize(
    "matrix",
    [np.zeros((3, 4), dtype=int), [[1]], [[1000, 0], [0, 1000]], np.ones((50, 2), dtype=int)],
    ids=["no tokens", "one token", "apart", "even"],
)
@pytest.mark.parametrize("alpha", ["symmetric", "asymmetric"])
@pytest.mark.parametrize("prior", [(0.1, 1e-6), (1.0, 1.0), (1e6, 1e6)])
def test_results_are_finite_and_positive(matrix, alpha, prior):
    """Also where the likelihood has no maximum: even counts want infinite priors."""
    learning = PriorLearning.create(alpha, "symmetric", "optimised", prior, prior)
    chain = blocklda.Chain(matrix, 3, alpha=1e-3, beta=1e-3, seed=0)
    for _ in range(5):
        chain.state.priors = learning.updated(chain.state, chain.state.rng)
        chain.sweep()
    for values in (chain.priors.alpha, chain.priors.beta, chain.priors.beta_sum):
        assert (np.isfinite(values) & (values > 0)).all()


def test_the_generator_is_left_alone():
    chain = swept_chain()
    before = chain.state.rng.bit_generator.state
    learning = PriorLearning.create("asymmetric", True, "optimised", (1, 1), (1, 1))
    learning.updated(chain.state, chain.state.rng)
    assert chain.state.rng.bit_generator.state == before


def test_known_priors_are_found_again():
    """Given the true topics the mode is off by the spread of the posterior.

    That is about 1 / sqrt(tables) for log x: 4 % for the smallest α_k, below 2 % for β.
    """
    truth = simulated(seed=5)
    chain = truth.chain("nested")
    learning = PriorLearning.create("asymmetric", True, "optimised", (1, 1), (1, 1))
    for _ in range(10):
        chain.state.priors = learning.updated(chain.state, chain.state.rng)
    np.testing.assert_allclose(chain.priors.alpha, truth.alpha, rtol=0.15)
    np.testing.assert_allclose(chain.priors.beta, truth.beta, rtol=0.08)


def test_they_are_found_without_knowing_the_topics():
    truth = simulated(seed=5)
    chain = truth.chain("nested", init="variational")
    learning = PriorLearning.create("asymmetric", True, "optimised", (1, 1), (1, 1))
    for sweep in range(1, 61):
        chain.sweep()
        if learning.is_due(sweep, burn_in=60):
            chain.state.priors = learning.updated(chain.state, chain.state.rng)
    np.testing.assert_allclose(np.sort(chain.priors.alpha), np.sort(truth.alpha), rtol=0.25)
    np.testing.assert_allclose(chain.priors.beta, truth.beta, rtol=0.15)
