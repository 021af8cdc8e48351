"""One long chain against the probability of every state."""

from __future__ import annotations

import numpy as np
import pytest

from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.state import State, SweepOptions
from tests.exact.cases import CASES, FEWER_CASES, GRID_REVEALING, REVEALING, Case
from tests.exact.fit import (
    ACCEPT,
    REJECT,
    judge,
    lag_one_correlations,
)
from tests.exact.runs import SLOW, chain_draws, chain_topics, n_draws_of, smallest_p_value
from tests.models.lda.samplers.options import in_use
from tests.models.lda.samplers.subjects import SUBJECTS, find_subject
from tests.mutants import given_phi as given_phi_mutants
from tests.mutants import grid as grid_mutants
from tests.mutants.samplers import MUTANTS, mutants_but

SLOW_CASE, SLOW_THIN = "word in several documents", 20
"""A case that the slow samplers mix on, and how often to record them there. The stay-put test, in
which mixing plays no part, takes them through the others."""

SLOWER = {("17 topics", "sparse"): 90}
"""Cases that one sampler needs more sweeps for. With more topics than `sparse` always lists, blocks
that are spread over several new ones stay put until their token-by-token turn, one sweep in ten."""

QUICK = [sampler for sampler in SUBJECTS if sampler not in SLOW]
RUNS = [
    *(
        (name, sampler, SLOWER.get((name, sampler), case.thin))
        for name, case in FEWER_CASES.items()
        for sampler in QUICK
    ),
    *((SLOW_CASE, sampler, SLOW_THIN) for sampler in SLOW),
]

OPTIONS = {
    "parts of 1": {"max_block": 1},
    "parts of 2": {"max_block": 2},
    "fft": {"convolution": "fft"},
}


def check_chain(case: Case, sampler: str | Sweep, n_draws: int, thin: int, **options) -> None:
    states = chain_draws(case.problem, sampler, n_draws, thin, seed=20, **options)
    correlations = lag_one_correlations(case.problem, states)
    # Independent draws have correlations of standard deviation 1/√N. Twenty functions are looked
    # at, so 4.5 of them happen by chance in one run of ten thousand.
    assert np.abs(correlations).max(initial=0.0) < 4.5 / np.sqrt(n_draws), "draws not independent"
    verdict = judge(case.problem, states)
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize(("name", "sampler", "thin"), RUNS)
def test_a_long_chain_visits_every_state_as_often_as_it_should(name, sampler, thin):
    check_chain(CASES[name], sampler, n_draws_of(sampler), thin)


@pytest.mark.parametrize(("options", "sampler"), in_use(QUICK, OPTIONS))
def test_options_do_not_change_the_law(options, sampler):
    n_draws = 700 if "convolution" in options else n_draws_of(sampler)
    check_chain(CASES["word in several documents"], sampler, n_draws, 12, **options)


def alternating(*samplers: str) -> Sweep:
    """Return a sweep that hands the state from one sampler to the next after every sweep."""
    sweeps = [find_subject(name).sweep("native") for name in samplers]

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        return sum(sweeps[i % len(sweeps)](state, options, 1) for i in range(n_sweeps))

    return sweep


@pytest.mark.parametrize("other", SUBJECTS)
def test_samplers_can_take_turns(other):
    """What one leaves, in whatever order of tokens, the next may take up."""
    check_chain(CASES["one block"], alternating("nested", other), n_draws_of(other), thin=10)


LEFT_TO_STAY_PUT = (
    "token left in all counts",
    "token left in n_dk",
    "token left in n_vk",
    "token left in n_k",
    "beta in place of V beta",
    *(name for name in given_phi_mutants.MUTANTS if name != "tokens of a block apart given phi"),
    *(name for name in grid_mutants.MUTANTS if name != "no masses of groups"),
)
"""Caught here too, but only with tens of thousands of the slow sweeps of the Python twins."""


@pytest.mark.parametrize("mutant", mutants_but(LEFT_TO_STAY_PUT))
def test_enumeration_rejects(mutant):
    problem = GRID_REVEALING if mutant in grid_mutants.MUTANTS else REVEALING
    topics = chain_topics(problem, MUTANTS[mutant], thin=10, seed=21)
    assert smallest_p_value(problem, topics) < REJECT


@pytest.mark.parametrize("sampler", SUBJECTS)
def test_enumeration_accepts_the_right_samplers(sampler):
    """Ten sweeps apart the draws are not independent; they are near enough to be accepted."""
    problem = GRID_REVEALING if sampler.startswith("grid") else REVEALING
    n_draws = n_draws_of(sampler, revealing=sampler not in SLOW)
    verdict = judge(problem, chain_draws(problem, sampler, n_draws, thin=10, seed=21))
    assert verdict.p_value > ACCEPT, verdict.report
