"""Simulation-based calibration (Talts et al. 2018) of the models whose number of topics varies.

Truths drawn from the prior, and data drawn given them, have uniform ranks among posterior draws:
here of the number of topics K and of the concentrations. Of equal numbers, which K has, the rank is
drawn at random among those that it could be. Chains start at the truth, so that no burn-in is
needed for them to be stationary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from unittest.mock import patch

import numpy as np
import pytest
from scipy import stats

import blocklda
from blocklda.models.hdp.global_step import GlobalStep
from tests.exact.fit import ACCEPT, REJECT
from tests.mutants.calibration import HDP_STEP_MUTANTS, MIXTURE_STEP_MUTANTS

N_DRAWS = 7
"""Posterior draws beside each truth: ranks from 0 to 7."""

LENGTHS = (6, 6, 5, 5, 4)
N_WORDS, BETA = 4, 0.3

Truth = tuple[float, ...]


def words_of(topics: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a word for each token: each topic's words are multinomial with a Dirichlet prior."""
    phi = rng.dirichlet(np.full(N_WORDS, BETA), size=int(topics.max()) + 1)
    return np.array([rng.choice(N_WORDS, p=phi[k]) for k in topics])


def counted(docs: np.ndarray, words: np.ndarray) -> np.ndarray:
    matrix = np.zeros((len(LENGTHS), N_WORDS), dtype=int)
    np.add.at(matrix, (docs, words), 1)
    return matrix


def seated(concentration: float, n: int, sizes: list[int], rng: np.random.Generator) -> int:
    """Return the class of one more member by the Chinese restaurant process, n being in it."""
    weights = [*sizes, concentration]
    return int(rng.choice(len(weights), p=np.array(weights) / (n + concentration)))


# --- one truth, its data, and draws from the posterior


def hdp(rng: np.random.Generator) -> tuple[Truth, list[Truth]]:
    alpha0, gamma = rng.exponential(size=2)
    dishes: list[int] = []  # how many tables have each topic
    topics = []
    for length in LENGTHS:
        tables: list[int] = []
        of_table: list[int] = []
        for i in range(length):
            table = seated(alpha0, i, tables, rng)
            if table == len(tables):
                dish = seated(gamma, sum(dishes), dishes, rng)
                dishes[dish : dish + 1] = [dishes[dish] + 1] if dish < len(dishes) else [1]
                tables.append(0)
                of_table.append(dish)
            tables[table] += 1
            topics.append(of_table[table])
    docs, places = np.repeat(np.arange(len(LENGTHS)), LENGTHS), np.array(topics)
    words = words_of(places, rng)
    order = np.lexsort((words, docs))
    chain = blocklda.HDPChain(
        counted(docs, words),
        alpha0=alpha0,
        gamma=gamma,
        beta=BETA,
        learn=True,
        seed=int(rng.integers(2**31)),
        init=places[order],
    )
    seen = []
    for _ in range(N_DRAWS):
        chain.sweep(8)
        seen.append((float(chain.n_topics), chain.alpha0, chain.gamma))
    return (float(len(np.unique(places))), alpha0, gamma), seen


def mixture(rng: np.random.Generator) -> tuple[Truth, list[Truth]]:
    alpha = float(rng.exponential())
    sizes: list[int] = []
    labels = []
    for d in range(len(LENGTHS)):
        label = seated(alpha, d, sizes, rng)
        sizes[label : label + 1] = [sizes[label] + 1] if label < len(sizes) else [1]
        labels.append(label)
    docs = np.repeat(np.arange(len(LENGTHS)), LENGTHS)
    words = words_of(np.array(labels)[docs], rng)
    chain = blocklda.DPMixtureChain(
        counted(docs, words),
        alpha,
        BETA,
        seed=int(rng.integers(2**31)),
        init=np.array(labels),
    )
    seen = []
    for _ in range(N_DRAWS):
        chain.sweep(10)
        seen.append((float(chain.n_components), chain.alpha))
    return (float(len(sizes)), alpha), seen


# --- ranks


def rank(truth: float, draws: Sequence[float], rng: np.random.Generator) -> int:
    """Return how many draws are below the truth; of equals a random share."""
    below, equal = sum(x < truth for x in draws), sum(x == truth for x in draws)
    return below + int(rng.integers(equal + 1))


def p_value(
    one: Callable[[np.random.Generator], tuple[Truth, list[Truth]]], n: int, seed: int
) -> float:
    """Return the p-value of uniform ranks of all functionals, times their number."""
    rng = np.random.default_rng(seed)
    ranks = []
    for _ in range(n):
        truth, draws = one(rng)
        columns = zip(truth, zip(*draws, strict=True), strict=True)
        ranks.append([rank(x, values, rng) for x, values in columns])
    table = np.array(ranks)
    found = [
        stats.chisquare(np.bincount(column, minlength=N_DRAWS + 1)).pvalue for column in table.T
    ]
    return float(min(1.0, len(found) * min(found)))


def test_ranks_of_an_hdp_are_uniform():
    assert p_value(hdp, 120, 1) > ACCEPT


def test_ranks_of_a_mixture_are_uniform():
    assert p_value(mixture, 250, 2) > ACCEPT


@pytest.mark.parametrize("mutant", HDP_STEP_MUTANTS)
def test_wrong_steps_of_an_hdp_show_in_the_ranks(mutant):
    step: type[GlobalStep] = HDP_STEP_MUTANTS[mutant]
    with patch("blocklda.models.hdp.model.GlobalStep", step):
        assert p_value(hdp, 60, 3) < REJECT


@pytest.mark.parametrize("mutant", MIXTURE_STEP_MUTANTS)
def test_wrong_concentrations_show_in_the_ranks(mutant):
    with patch("blocklda.models.mixture.sampler.draw_concentration", MIXTURE_STEP_MUTANTS[mutant]):
        assert p_value(mixture, 100, 4) < REJECT
