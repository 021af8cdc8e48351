"""Sampled priors: each part of the Gibbs step against its law, and the whole against the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

import blocklda
from blocklda.models.lda.prior_learning import PriorLearning, sampled
from blocklda.models.lda.prior_learning.row_counts import (
    RowCounts,
    asymmetric_counts,
    doc_counts,
    word_counts,
)
from tests.exact.fit import ACCEPT, REJECT
from tests.models.lda.prior_learning.likelihood import log_likelihood
from tests.models.lda.prior_learning.truth import simulated
from tests.mutants.priors import PRIOR_MUTANTS, mutant_of


def rising_factorial_coefficients(n: int) -> np.ndarray:
    """Return Stirling's numbers s(n, m), m = 0 … n: x (x + 1) ⋯ (x + n − 1) = Σ_m s(n, m) x^m."""
    coefficients = np.array([1.0])
    for i in range(n):
        coefficients = np.append(0, coefficients) + i * np.append(coefficients, 0)
    return coefficients


def table_counts(n: int, x: float, n_draws: int) -> np.ndarray:
    """Draw the tables of cells of n tokens, all at once: every cell has a parameter of its own."""
    counts = RowCounts(
        totals=np.array([], dtype=np.int64),
        above=np.ones(n * n_draws, dtype=np.int64),
        level=np.tile(np.arange(n), n_draws),
        parameter=np.repeat(np.arange(n_draws), n),
        n_parameters=n_draws,
        width=1,
    )
    return sampled.tables(counts, np.full(n_draws, x), np.random.default_rng(1)).astype(int)


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("x", [0.05, 1.0, 8.0])
def test_tables_are_weighted_by_stirlings_numbers(n, x):
    weights = rising_factorial_coefficients(n) * x ** np.arange(n + 1)
    expected = 20_000 * weights / weights.sum()
    observed = np.bincount(table_counts(n, x, 20_000), minlength=n + 1)
    assert (observed[expected == 0] == 0).all()
    large = expected > 5
    assert abs(observed - expected)[~large].max(initial=0) < 25
    if large.sum() > 1:
        scaled = expected[large] * observed[large].sum() / expected[large].sum()
        assert stats.chisquare(observed[large], scaled).pvalue > ACCEPT


@pytest.mark.parametrize("first_factors", [1, 3, 1000])
@pytest.mark.parametrize("A", [0.1, 1.0, 30.0])
def test_eta_has_its_beta_law(A, first_factors, monkeypatch):
    monkeypatch.setattr(sampled, "FIRST_FACTORS", first_factors)
    totals, rng = np.array([1, 2, 5, 5, 40]), np.random.default_rng(2)
    ours = [sampled.minus_log_eta(totals, A, rng) for _ in range(2_500)]
    theirs = -np.log(rng.beta(A, totals, size=(25_000, len(totals)))).sum(axis=1)
    assert stats.ks_2samp(ours, theirs).pvalue > ACCEPT


def test_small_sums_of_alpha_have_finite_logarithms():
    """Here every η is 0 in doubles; −log η is about an exponential variate divided by A."""
    rng = np.random.default_rng(4)
    draws = [sampled.minus_log_eta(np.array([10, 5000]), 1e-20, rng) for _ in range(4_000)]
    scaled = 1e-20 * np.array(draws)
    assert stats.kstest(scaled, stats.gamma(2).cdf).pvalue > ACCEPT


def posterior_cdf(table: np.ndarray, prior: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return logarithms of one shared parameter and its distribution function, on a fine grid."""
    logs = np.linspace(-8, 5, 4_001)
    grid = np.exp(logs)
    density = np.array(
        [log_likelihood(table, np.full(table.shape[1], value)) for value in grid]
    ) + stats.gamma.logpdf(grid, prior[0], scale=1 / prior[1])
    weights = np.exp(density + logs - (density + logs).max())
    return logs, np.cumsum(weights) / weights.sum()


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 0.1), (4.0, 9.0)])
@pytest.mark.parametrize("of", ["alpha", "beta"])
def test_one_parameter_follows_its_posterior(of, prior):
    """Exact draws stay exact: as many as a chain would have given, thinned until independent."""
    counts = np.random.default_rng(6).poisson(0.7, size=(6, 5))
    counts[2] = 0
    chain = blocklda.Chain(counts, 3, seed=1)
    counts_of, table = (
        (doc_counts, chain.doc_topic_counts())
        if of == "alpha"
        else (word_counts, chain.topic_word_counts())
    )
    rows, rng = counts_of(chain.state, chain.state.cells()), np.random.default_rng(7)
    logs, cdf = posterior_cdf(table, prior)
    draws = []
    for start in np.exp(np.interp(rng.random(700), cdf, logs)):
        x = np.array([start])
        for _ in range(3):
            x = sampled.sampled(rows, x, prior, rng)
        draws.append(x[0])
    values = np.interp(np.log(draws), logs, cdf)
    assert stats.kstest(values, "uniform").pvalue > ACCEPT


def test_parameters_of_their_own_follow_their_joint_posterior():
    """Means by importance sampling from the Gamma prior, which tiny counts hardly narrow."""
    counts = np.array([[2, 1], [0, 3]])
    chain = blocklda.Chain(counts, 2, seed=3)
    n_dk, prior = chain.doc_topic_counts(), (3.0, 2.0)
    rng = np.random.default_rng(8)
    proposals = rng.gamma(prior[0], 1 / prior[1], size=(200_000, 2))
    log_weights = (gammaln(n_dk + proposals[:, None]) - gammaln(proposals[:, None])).sum(
        axis=(1, 2)
    )
    A, totals = proposals.sum(axis=1), n_dk.sum(axis=1)
    log_weights += (gammaln(A)[:, None] - gammaln(A[:, None] + totals)).sum(axis=1)
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    expected = weights @ np.column_stack([proposals, np.log(proposals), proposals.prod(axis=1)])
    rows, x, draws = asymmetric_counts(chain.state, chain.state.cells()), np.ones(2), []
    for _ in range(20_000):
        x = sampled.sampled(rows, x, prior, rng)
        draws.append([*x, *np.log(x), x.prod()])
    found = np.array(draws)
    batches = found.reshape(40, -1, found.shape[1]).mean(axis=1)
    errors = np.hypot(stats.sem(batches), found.std(axis=0) / np.sqrt(1 / (weights**2).sum()))
    assert (abs(found.mean(axis=0) - expected) < 4 * errors).all()


def sampled_priors(
    chain: blocklda.Chain, learning: PriorLearning, n_sweeps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sweep and return α (sweeps, topics) and β (sweeps,) along the way."""
    alphas, betas = [], []
    for _ in range(n_sweeps):
        chain.sweep()
        chain.state.priors = learning.updated(chain.state, chain.state.rng)
        alphas.append(chain.priors.alpha)
        betas.append(chain.priors.beta[0, 0])
    return np.array(alphas), np.array(betas)


@pytest.mark.parametrize("seed", [5, 6])
def test_known_priors_lie_where_the_posterior_says(seed):
    truth = simulated(seed)
    learning = PriorLearning.create("asymmetric", True, "sampled", (1, 1), (1, 1))
    alphas, betas = sampled_priors(truth.chain("nested"), learning, 400)
    for draws, true in ((alphas[100:], truth.alpha), (betas[100:], truth.beta)):
        z = (true - draws.mean(axis=0)) / draws.std(axis=0)
        assert (abs(z) < 4).all()
        assert (draws.std(axis=0) < 0.2 * draws.mean(axis=0)).all()


def ranks(learning: PriorLearning, n_corpora: int, seed: int) -> np.ndarray:
    """Return where the true Σ α, largest α and β rank among draws, as shares, one row a corpus.

    Simulation-based calibration (Talts et al. 2018): truths drawn from the prior have uniform
    ranks among draws from the posterior. Label-invariant functions only, since chains this short
    rarely exchange topics.
    """
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n_corpora):
        alpha = rng.gamma(learning.alpha_prior[0], 1 / learning.alpha_prior[1], 3)
        beta = rng.gamma(learning.beta_prior[0], 1 / learning.beta_prior[1])
        theta = rng.dirichlet(alpha, size=12)
        phi = rng.dirichlet(np.full(6, beta), size=3)
        corpus = blocklda.simulate.draw_corpus(theta, phi, 8, rng)
        chain = blocklda.Chain(corpus, 3, alpha=1.0, beta=1.0, seed=int(rng.integers(2**32)))
        alphas, betas = sampled_priors(chain, learning, 400)
        alphas, betas = alphas[75::25], betas[75::25]
        found.append(
            [
                (alphas.sum(axis=1) < alpha.sum()).mean(),
                (alphas.max(axis=1) < alpha.max()).mean(),
                (betas < beta).mean(),
            ]
        )
    return np.array(found)


CALIBRATED = PriorLearning.create("asymmetric", True, "sampled", (3.0, 4.0), (3.0, 4.0))


def smallest_p(shares: np.ndarray) -> float:
    """Ranks among 13 draws are spread over their steps before they are called uniform."""
    steps = np.random.default_rng(0).random(shares.shape)
    spread = (shares * 13 + steps) / 14
    return min(1.0, 3 * min(stats.kstest(column, "uniform").pvalue for column in spread.T))


def test_posterior_intervals_cover_the_truth_as_often_as_they_say():
    assert smallest_p(ranks(CALIBRATED, 30, seed=9)) > ACCEPT


@pytest.mark.parametrize("mutant", ["shape without the tables", "rate without K or V"])
def test_calibration_rejects(mutant):
    assert mutant in PRIOR_MUTANTS
    assert smallest_p(ranks(mutant_of(CALIBRATED, mutant), 12, seed=9)) < REJECT
