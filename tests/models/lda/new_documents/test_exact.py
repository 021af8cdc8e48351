"""Folding in and reading from left to right agree with enumeration; their mutants do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import blocklda
from blocklda.evaluate import left_to_right
from tests.exact.fit import ACCEPT, REJECT
from tests.models.lda.new_documents.problems import (
    CASES,
    REVEALING,
    SLOW,
    KnownTopics,
    sampled_theta,
)
from tests.mutants.new_documents import FOLD_IN_MISTAKES, READING_MISTAKES, fold_in, read

N_SWEEPS, BURN_IN, N_ESTIMATES = 120, 10, 2_000


def mean_p_value(draws: np.ndarray, exact: np.ndarray) -> float:
    """Hotelling's test that independent draws (N, parts) have a mean; the last part is implied."""
    n, p = len(draws), draws.shape[1] - 1
    difference = (draws.mean(axis=0) - exact)[:p]
    covariance = np.atleast_2d(np.cov(draws[:, :p], rowvar=False))
    t2 = n * difference @ np.linalg.solve(covariance, difference)
    return float(stats.f.sf(t2 * (n - p) / (p * (n - 1)), p, n - p))


def inferred(problem: KnownTopics, *phis: object, n_sweeps: int = N_SWEEPS) -> np.ndarray:
    corpus = blocklda.Corpus.from_matrix(problem.matrix)
    settings = {"n_sweeps": n_sweeps, "burn_in": BURN_IN}
    return np.array(
        [sampled_theta(corpus, phis, problem.alpha, seed=s, **settings)[0] for s in range(800)]
    )


@pytest.mark.parametrize("name", CASES)
def test_the_mean_of_theta_is_exact(name):
    problem = CASES[name]
    theta = inferred(problem, problem.phi)
    exact, _ = problem.exact()
    if sum(problem.counts) == 1:
        # One token's probabilities do not depend on its topic: no Monte Carlo error at all.
        np.testing.assert_allclose(theta, np.tile(exact, (len(theta), 1)), rtol=1e-12)
    else:
        assert mean_p_value(theta, exact) > ACCEPT


def test_several_phi_give_the_mean_over_them():
    """Each goes on from where the one before ended, and has its own burn-in."""
    other = KnownTopics(REVEALING.counts, REVEALING.phi[::-1], REVEALING.alpha)
    exact = (REVEALING.exact()[0] + other.exact()[0]) / 2
    theta = inferred(REVEALING, REVEALING.phi, other.phi, n_sweeps=2 * N_SWEEPS)
    assert mean_p_value(theta, exact) > ACCEPT
    assert mean_p_value(theta, REVEALING.exact()[0]) < REJECT


def test_what_the_fold_in_mutants_were_made_from_is_accepted():
    theta = fold_in(REVEALING, 60, BURN_IN, N_ESTIMATES)
    assert mean_p_value(theta, REVEALING.exact()[0]) > ACCEPT


@pytest.mark.parametrize("mistake", FOLD_IN_MISTAKES)
def test_wrong_fold_ins_are_rejected(mistake):
    theta = fold_in(REVEALING, 60, BURN_IN, N_ESTIMATES, mistake)
    assert mean_p_value(theta, REVEALING.exact()[0]) < REJECT


def ratio_p_value(estimates: np.ndarray, exact: float) -> float:
    z = (estimates.mean() / exact - 1) / (estimates.std(ddof=1) / exact / np.sqrt(len(estimates)))
    return float(2 * stats.norm.sf(abs(z)))


@pytest.mark.parametrize("n_particles", [1, 2, 5])
@pytest.mark.parametrize("name", CASES)
def test_batches_are_unbiased(name, n_particles):
    problem = CASES[name]
    exact = problem.exact()[1]
    result = left_to_right(
        problem.phi, problem.alpha, problem.matrix, n_particles=n_particles, n_batches=20_000
    )
    estimates = np.exp(result.batches[0])
    if sum(problem.counts) == 1:
        np.testing.assert_allclose(estimates, exact, rtol=1e-12)
    else:
        assert ratio_p_value(estimates, exact) > ACCEPT


def test_the_log_and_its_standard_error():
    """Many documents that differ only in an unused word's place: their errors are independent."""
    phi = np.hstack([0.9 * np.array(REVEALING.phi), np.full((3, 400), 0.1 / 400)])
    matrix = np.zeros((400, 403), dtype=int)
    matrix[:, :3] = REVEALING.counts
    matrix[np.arange(400), 3 + np.arange(400)] = 1
    # The extra word is as likely in every topic, so it tells nothing of θ.
    exact = np.log(REVEALING.exact()[1]) + 6 * np.log(0.9) + np.log(0.1 / 400)
    result = left_to_right(phi, REVEALING.alpha, matrix, n_particles=20, n_batches=4)
    # The standard errors are widened; without that, an error in units of them has Student's t with
    # 3 degrees of freedom.
    widening = stats.t.ppf(stats.norm.cdf(2), 3) / 2
    z = (result.log_probabilities - exact) / (result.standard_errors / widening)
    assert abs((result.log_probability - 400 * exact) / result.standard_error) < 3
    # Its standard deviation is √3, and its quartiles are ±0.76.
    assert 0.6 < np.median(np.abs(z)) < 0.95
    # Of 400 documents together the spread is well known: 1200 degrees of freedom at most.
    together = np.sqrt(((result.standard_errors / widening) ** 2).sum())
    assert 1 < result.standard_error / together < 1.01
    assert result.n_tokens.tolist() == [7] * 400
    assert result.mean_log_per_token == pytest.approx(result.log_probability / 2800)
    assert result.perplexity == pytest.approx(np.exp(-result.mean_log_per_token))


def test_what_the_reading_mutants_were_made_from_is_accepted():
    estimates = read(SLOW, 4, 2 * N_ESTIMATES)
    assert ratio_p_value(estimates, SLOW.exact()[1]) > ACCEPT


@pytest.mark.parametrize("mistake", READING_MISTAKES)
def test_wrong_readings_are_rejected(mistake):
    estimates = read(SLOW, 4, 2 * N_ESTIMATES, mistake)
    assert ratio_p_value(estimates, SLOW.exact()[1]) < REJECT
