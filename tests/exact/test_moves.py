"""Moves between sweeps against the probability of every state.

Stay-put: exact draws, moved by attempts alone, must still have the exact law. Nothing but the move
acts there, so a mistake of its own cannot hide behind the sweeps. Enumeration: one long chain that
alternates sweeps and attempts.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.moves.registry import find_move
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.state import State, SweepOptions
from tests.exact.cases import CASES
from tests.exact.fit import ACCEPT, REJECT, judge, lag_one_correlations
from tests.exact.problem import Problem
from tests.exact.runs import advanced_draws, advanced_topics, chain_draws, smallest_p_value
from tests.mutants.moves import MOVE_CONTROLS, MOVE_MUTANTS

SEED = 60

ASYMMETRIC = Problem(((3, 1), (1, 2)), 3, (0.3, 1.2, 0.6), 0.4)
MATRIX = Problem(((3, 1), (1, 1)), 3, (0.9, 0.3, 0.5), ((0.2, 0.9), (0.7, 0.3), (1.1, 0.5)))
SYMMETRIC = Problem(((3, 1), (1, 2)), 3, 0.5, 0.3)
FOUR_TOPICS = Problem(((2, 1), (1, 1)), 4, (0.3, 0.8, 0.5, 0.5), 0.3)
UNEVEN = Problem(((1, 1, 1), (1, 1, 0)), 3, (0.2, 3.0, 0.5), 0.1)
"""Priors so different that the order of the tokens shows."""

PROBLEMS = {
    "symmetric priors": SYMMETRIC,
    "asymmetric alpha": ASYMMETRIC,
    "beta matrix": MATRIX,
    "four topics": FOUR_TOPICS,
    "uneven alpha": UNEVEN,
    **{name: case.problem for name, case in CASES.items() if case.problem.n_topics > 2},
}


def attempts(move: str) -> Sweep:
    """Return a "sweep" that is one attempt at a move."""
    attempt = find_move(move).attempt

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        return sum(attempt(state) for _ in range(n_sweeps))

    return sweep


@pytest.mark.parametrize("move", blocklda.MOVES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_attempts_leave_the_law_as_it_is(name, move):
    problem = PROBLEMS[name]
    verdict = judge(problem, advanced_draws(problem, attempts(move), 8_000, 2, SEED))
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("move", blocklda.MOVES)
@pytest.mark.parametrize(
    ("name", "sampler"),
    [
        ("symmetric priors", "single-site"),
        ("asymmetric alpha", "sparse-single-site"),
        ("beta matrix", "sparse"),
        ("four topics", "backward"),
        ("uneven alpha", "nested"),
    ],
)
def test_a_long_chain_of_sweeps_and_attempts(name, sampler, move):
    problem = PROBLEMS[name]
    states = chain_draws(problem, sampler, 1_000, thin=40, seed=SEED, moves=(move,))
    assert abs(lag_one_correlations(problem, states)).max() < 4.5 / 1_000**0.5
    verdict = judge(problem, states)
    assert verdict.p_value > ACCEPT, verdict.report


CAUGHT_ON = {
    "choice not weighed at the new state": (ASYMMETRIC, 2),
    "choice not weighed": (ASYMMETRIC, 2),
    # The order changes weights by little: it takes more attempts until that shows.
    "order that depends on labels": (UNEVEN, 8),
    "merged into the other topic": (MATRIX, 2),
    "merged state left out": (ASYMMETRIC, 2),
    "alpha of the first topic for both": (ASYMMETRIC, 2),
}
"""Where a mutant shows, and after how many attempts."""


@pytest.mark.parametrize(
    ("mutant", "problem", "n_attempts"),
    [(mutant, *where) for mutant, where in CAUGHT_ON.items()],
)
def test_wrong_moves_are_rejected(mutant, problem, n_attempts):
    topics = advanced_topics(problem, MOVE_MUTANTS[mutant], n_attempts, SEED)
    assert smallest_p_value(problem, topics) < REJECT


@pytest.mark.parametrize("move", blocklda.MOVES)
def test_many_attempts_leave_the_law_as_it_is(move):
    """On the problem and with the attempts that give a wrong order away."""
    verdict = judge(UNEVEN, advanced_draws(UNEVEN, attempts(move), 20_000, 8, SEED))
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("problem", [ASYMMETRIC, MATRIX, UNEVEN], ids=["alpha", "beta", "uneven"])
@pytest.mark.parametrize("control", MOVE_CONTROLS)
def test_what_the_mutants_were_made_from_draws_what_the_kernel_draws(control, problem):
    """So what accepts the kernel accepts it too."""
    of_twin, of_kernel = (
        list(islice(advanced_topics(problem, sweep, 2, SEED), 150))
        for sweep in (MOVE_CONTROLS[control], attempts("merge-split"))
    )
    np.testing.assert_array_equal(of_twin, of_kernel)
