"""Sweeps of a mixture against the probability of every clustering.

Stay-put: exact draws, each moved by one sweep, must still have the exact distribution.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from blocklda.models.mixture.sampler import BLOCKS
from tests.exact.fit import ACCEPT, REJECT
from tests.models.mixture.problem import Problem, advanced, smallest_p_value
from tests.mutants.mixture import CONTROLS, FINITE_MUTANTS, MIXTURE_MUTANTS

A, B, C, EMPTY = (1, 1, 0), (0, 2, 1), (0, 0, 1), (0, 0, 0)
BETA = (0.5, 0.4, 0.6)

KINDS = Problem((A, B, A, A, C, B, A), 1.7, BETA)
PROBLEMS = {
    "three kinds": KINDS,
    "empty documents": Problem((EMPTY, A, EMPTY, B, EMPTY, A), 0.8, BETA),
    "large alpha": Problem((A, A, A, A, B), 6.0, BETA),
    "one kind": Problem((B,) * 6, 1.2, BETA),
    "all different": Problem((A, B, C, (3, 0, 0), EMPTY), 0.6, (0.1, 0.1, 0.1)),
    "finite": Problem((A, B, A, A, C, B), 0.4, BETA, n_components=3),
    "finite, more components than documents": Problem((A, A, B), 0.7, BETA, n_components=6),
    "finite, one component": Problem((A, A, B), 0.7, BETA, n_components=1),
}
REVEALING = Problem((B, B, B, B, A), 1.7, BETA)
"""A block of four: most mistakes in blocks show soon."""

BIG_ALPHA = Problem((B, B, B, B), 6.0, BETA)
"""Where new components are frequent."""

ONE_BY_ONE = Problem(((3, 0), (2, 0), (2, 1), (0, 2)), 2.0, (0.3, 0.3))
"""Documents that all differ and have words twice, for mistakes in moves of one."""

STICKY = Problem(((3, 0), (2, 1), (0, 3)), 1.0, (0.2, 0.2))
"""Words that hold documents together."""

FINITE = Problem((B, B, B, A), 0.4, BETA, n_components=2)
SHARES = Problem(((2, 1), (1, 0), (0, 1)), 2.0, (0.5, 0.5), n_components=3)
"""Where the prior of the shares matters."""


@pytest.mark.parametrize(
    ("name", "max_block"),
    [*((name, size) for name in PROBLEMS for size in (1, 16)), ("three kinds", 2)],
)
def test_a_sweep_leaves_the_posterior_as_it_is(name, max_block):
    problem = PROBLEMS[name]
    draws = advanced(problem, BLOCKS.native, seed=71, max_block=max_block)
    verdict = problem.judge(list(islice(draws, 2_000)))
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize(
    ("name", "max_block"), [("three kinds", 1), ("empty documents", 16), ("finite", 16)]
)
def test_a_long_chain_visits_every_clustering_as_often_as_it_should(name, max_block):
    problem = PROBLEMS[name]
    chain = problem.chain(seed=72, max_block=max_block)
    states = []
    for _ in range(1_500):
        chain.sweep(8)
        states.append(problem.state_of(chain.labels()))
    verdict = problem.judge(states)
    assert verdict.p_value > ACCEPT, verdict.report


PROBLEM_OF = dict.fromkeys(MIXTURE_MUTANTS, REVEALING) | {
    "document left in the counts": STICKY,
    "two new components for one document": ONE_BY_ONE,
    "static counts of a word": ONE_BY_ONE,
    "prior of a document's own words": ONE_BY_ONE,
    "new components without 1/j": BIG_ALPHA,
}

SLOW = {"document left in the counts": 3}
"""Sweeps that it takes until a mistake shows that mostly keeps documents where they are."""


@pytest.mark.parametrize("mutant", MIXTURE_MUTANTS)
def test_wrong_sweeps_are_rejected(mutant):
    problem = PROBLEM_OF[mutant]
    draws = advanced(problem, MIXTURE_MUTANTS[mutant], seed=73, n_sweeps=SLOW.get(mutant, 1))
    assert smallest_p_value(problem, draws) < REJECT


@pytest.mark.parametrize("mutant", FINITE_MUTANTS)
def test_wrong_finite_mixtures_are_rejected(mutant):
    problem = SHARES if mutant == "sizes without alpha" else FINITE
    draws = advanced(problem, FINITE_MUTANTS[mutant], seed=74)
    assert smallest_p_value(problem, draws) < REJECT


@pytest.mark.parametrize("problem", [REVEALING, ONE_BY_ONE, FINITE], ids=["kinds", "one", "finite"])
@pytest.mark.parametrize("control", CONTROLS)
def test_what_the_mutants_were_made_from_is_accepted(control, problem):
    draws = advanced(problem, CONTROLS[control], seed=73)
    verdict = problem.judge(list(islice(draws, 1_000)))
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("name", ["three kinds", "finite"])
def test_the_log_posterior_is_that_of_the_enumeration(name):
    """Differences between states are those of the log probabilities."""
    problem = PROBLEMS[name]
    found = problem.log_prior(problem.alpha) + problem.log_words
    chosen = np.random.default_rng(1).choice(len(problem.states), size=20)
    for i in chosen:
        chain = problem.chain(init=np.array(problem.states[i]))
        assert chain.log_posterior() == pytest.approx(found[i], rel=1e-12)
