"""The concentration against quadrature, and the joint distribution of all that is random."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln, logsumexp

import blocklda
from blocklda.models.mixture.concentration import draw_concentration
from blocklda.models.mixture.sampler import BLOCKS
from blocklda.models.mixture.state import SweepOptions
from tests.exact.fit import ACCEPT, REJECT
from tests.models.mixture.problem import DocumentSweep, Problem
from tests.mutants.mixture import (
    CONCENTRATION_CONTROLS,
    CONCENTRATION_MUTANTS,
    MIXTURE_MUTANTS,
    Concentration,
)

SHAPE, RATE = 2.0, 1.5
N_BATCHES = 40

CLUSTERED = ((2, 0), (2, 0), (0, 3), (0, 1), (1, 1))
PROBLEMS = {
    "dirichlet process": Problem(CLUSTERED, 1.0, (0.4, 0.3)),
    "finite": Problem(CLUSTERED, 1.0, (0.4, 0.3), n_components=3),
}


def moments(alpha: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return functions of draws of alpha and the number of components, shape (functions, N)."""
    return np.array([alpha, np.log(alpha), alpha**2, K, alpha * K])


def exact_moments(problem: Problem) -> np.ndarray:
    """Return their posterior means, by quadrature over alpha and a sum over all clusterings."""
    log_alpha = np.linspace(-12, 4, 300)
    alpha = np.exp(log_alpha)
    K = np.array([len(set(state)) for state in problem.states])
    log_weights = np.array([problem.log_prior(a) + problem.log_words for a in alpha])
    density = SHAPE * log_alpha - RATE * alpha  # the last α is that of d log α
    log_weights += density[:, None]
    weights = np.exp(log_weights - logsumexp(log_weights))
    values = moments(np.repeat(alpha, len(K)), np.tile(K, len(alpha)))
    return (values.reshape(-1, *weights.shape) * weights).sum(axis=(1, 2))


def chain_moments(problem: Problem, draw: Concentration, n_draws: int, seed: int) -> np.ndarray:
    chain = problem.chain(seed, learn=True, alpha_prior=(SHAPE, RATE))
    state, alpha, K = chain.state, [], []
    for _ in range(n_draws):
        BLOCKS.native(state, SweepOptions())
        state.alpha = draw(state)
        alpha.append(state.alpha)
        K.append(len(np.unique(state.labels)))
    return moments(np.array(alpha), np.array(K))


def p_value(observed: np.ndarray, means: np.ndarray, errors: np.ndarray | float = 0.0) -> float:
    """Return the smallest p-value of batch means against known ones, times their number."""
    batches = np.array([part.mean(axis=1) for part in np.array_split(observed, N_BATCHES, axis=1)])
    z = (batches.mean(axis=0) - means) / np.hypot(stats.sem(batches, axis=0), errors)
    return min(1.0, float((2 * stats.t.sf(np.abs(z), N_BATCHES - 1)).min()) * len(means))


@pytest.mark.parametrize("control", CONCENTRATION_CONTROLS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_alpha_has_its_posterior(name, control):
    problem = PROBLEMS[name]
    observed = chain_moments(problem, CONCENTRATION_CONTROLS[control], 2_500, seed=81)
    assert p_value(observed, exact_moments(problem)) > ACCEPT


@pytest.mark.parametrize("mutant", CONCENTRATION_MUTANTS)
def test_wrong_draws_of_alpha_are_rejected(mutant):
    problem = PROBLEMS["dirichlet process"]
    observed = chain_moments(problem, CONCENTRATION_MUTANTS[mutant], 3_000, seed=82)
    assert p_value(observed, exact_moments(problem)) < REJECT


# --- the joint distribution of words, clustering and alpha (Geweke 2004)

LENGTHS = (1, 1, 1, 2, 2, 0, 1, 1)
"""Few words, so that documents are often of one kind."""

BETA = (0.6, 0.9)
Draws = tuple[float, np.ndarray, np.ndarray]


def clusters_given(alpha: float, rng: np.random.Generator) -> np.ndarray:
    """Draw labels from the Chinese restaurant process."""
    sizes: list[float] = []
    labels = []
    for _ in LENGTHS:
        weights = np.array([*sizes, alpha])
        label = int(rng.choice(len(weights), p=weights / weights.sum()))
        sizes = [*sizes, 0.0] if label == len(sizes) else sizes
        sizes[label] += 1
        labels.append(label)
    return np.array(labels)


def words_given(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    phi = rng.dirichlet(BETA, size=labels.max() + 1)
    return np.array([rng.multinomial(n, phi[c]) for n, c in zip(LENGTHS, labels, strict=True)])


def direct_draws(rng: np.random.Generator) -> Iterator[Draws]:
    while True:
        alpha = rng.gamma(SHAPE, 1 / RATE)
        labels = clusters_given(alpha, rng)
        yield alpha, labels, words_given(labels, rng)


def successive_draws(
    sweep: DocumentSweep, draw: Concentration, rng: np.random.Generator
) -> Iterator[Draws]:
    """Alternate a sweep, which moves labels and alpha, with words drawn given the labels."""
    alpha, labels, X = next(direct_draws(rng))
    while True:
        chain = blocklda.DPMixtureChain(
            blocklda.Corpus.from_matrix(X),
            alpha,
            BETA,
            init=labels,
            seed=int(rng.integers(2**31)),
            alpha_prior=(SHAPE, RATE),
        )
        sweep(chain.state, SweepOptions())
        alpha, labels = draw(chain.state), chain.labels()
        X = words_given(labels, rng)
        yield alpha, labels, X


def functionals(draws: list[Draws]) -> np.ndarray:
    def of(alpha: float, labels: np.ndarray, X: np.ndarray) -> list[float]:
        sizes = np.bincount(labels)
        held = np.zeros((len(sizes), X.shape[1]))
        np.add.at(held, labels, X)
        same_kind = all(X[0] == X[1])
        return [
            *(alpha, np.log(alpha), np.sum(sizes > 0), alpha * np.sum(sizes > 0)),
            *((sizes**2).sum(), (held**2).sum(), gammaln(held + 0.5).sum(), X[:, 0].sum() ** 2),
            *(labels[0] == labels[1], same_kind and labels[0] == labels[1]),
            *(labels[0] == labels[2], labels[3] == labels[4], labels[5] == labels[0]),
        ]

    return np.array([of(*draw) for draw in draws], dtype=float).T


def joint_p_value(sweep: DocumentSweep, draw: Concentration, n_draws: int, seed: int) -> float:
    first, second = np.random.default_rng(seed).spawn(2)
    direct = functionals(list(islice(direct_draws(first), 2 * n_draws)))
    errors = direct.std(axis=1) / np.sqrt(direct.shape[1])
    found = functionals(list(islice(successive_draws(sweep, draw, second), n_draws)))
    return p_value(found, direct.mean(axis=1), errors)


def test_words_clusters_and_alpha_have_their_joint_distribution():
    assert joint_p_value(BLOCKS.native, draw_concentration, 1_200, seed=83) > ACCEPT


def test_joint_distribution_rejects_a_wrong_sweep():
    wrong = MIXTURE_MUTANTS["size to the power j"]
    assert joint_p_value(wrong, draw_concentration, 1_800, seed=84) < REJECT


def test_joint_distribution_rejects_a_wrong_concentration():
    wrong = CONCENTRATION_MUTANTS["half of the exposure"]
    assert joint_p_value(BLOCKS.native, wrong, 500, seed=84) < REJECT
