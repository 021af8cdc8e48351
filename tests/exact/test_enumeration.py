"""One long chain against the probability of every state."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.samplers import find_sampler
from blocklda.samplers.base import Sweep
from blocklda.state import State, SweepOptions
from tests.exact.fit import ACCEPT, REJECT, judge, lag_one_correlations
from tests.exact.problems import CASES, REVEALING, Case
from tests.exact.runs import chain_draws
from tests.mutants import CONTROLS, MUTANTS

SLOW = {"augmented": 3}
"""Samplers that draw θ and φ mix this many times slower than single-site, and a sweep of them on a
tiny corpus costs a hundred times as much. They run on the cases that mix fast; the stay-put test
takes them through all."""

OPTIONS = {
    "parts of 1": {"max_block": 1},
    "parts of 2": {"max_block": 2},
    "direct": {"convolution": "direct"},
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


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
@pytest.mark.parametrize("name", CASES)
def test_a_long_chain_visits_every_state_as_often_as_it_should(name, sampler):
    case = CASES[name]
    if sampler not in SLOW:
        check_chain(case, sampler, n_draws=20_000 if case.thin < 100 else 8_000, thin=case.thin)
    elif case.thin <= 20:
        check_chain(case, sampler, n_draws=2_000, thin=SLOW[sampler] * case.thin)
    else:
        pytest.skip("slow sweeps and slow mixing: test_stay_put has this case")


@pytest.mark.parametrize("sampler", [name for name in blocklda.SAMPLERS if name not in SLOW])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_options_do_not_change_the_law(options, sampler):
    n_draws = 2_000 if options.get("convolution") == "fft" else 10_000
    check_chain(CASES["word in several documents"], sampler, n_draws, 12, **options)


def alternating(*samplers: str) -> Sweep:
    """Return a sweep that hands the state from one sampler to the next after every sweep."""
    sweeps = [find_sampler(name).sweep("native") for name in samplers]

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        return sum(sweeps[i % len(sweeps)](state, options, 1) for i in range(n_sweeps))

    return sweep


@pytest.mark.parametrize("other", blocklda.SAMPLERS)
def test_samplers_can_take_turns(other):
    """What one leaves, in whatever order of tokens, the next may take up."""
    case = CASES["one block"]
    check_chain(case, alternating("nested", other), n_draws=4_000, thin=10)


CAUGHT = {
    "token left in all counts": "any mistake",
    "token left in n_dk": "any mistake",
    "token left in n_vk": "any mistake",
    "token left in n_k": "any mistake",
    "block left in n_dk": "any mistake",
    "priors swapped": "any mistake",
    "beta in place of V beta": "any mistake",
    "alpha the same for all topics": "any mistake",
    "uniforms used twice by single-site": "any mistake",
    "uniforms used twice by nested": "any mistake",
    "tokens scanned in sorted order": "wrong order",
    "parts of a sorted block": "wrong order",
    "nested without n!": "any mistake",
    "backward without n!": "any mistake",
    "children swapped": "any mistake",
    "half of the leaves tilted": "any mistake",
    "forward sums one topic late": "any mistake",
    "theta without alpha": "any mistake",
    "theta not drawn": "any mistake",
}
"""All of them. The twins are slow, so mutants are caught with far fewer draws than samplers get."""

FEW = {"n_draws": 1_500, "thin": 6}


def test_every_mutant_is_claimed():
    assert set(CAUGHT) == set(MUTANTS)


@pytest.mark.parametrize("mutant", CAUGHT)
def test_enumeration_rejects(mutant):
    problem = REVEALING[CAUGHT[mutant]]
    states = chain_draws(problem, MUTANTS[mutant], **FEW, seed=21)
    assert judge(problem, states).p_value < REJECT


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("name", REVEALING)
def test_enumeration_accepts_what_the_mutants_were_made_from(name, control):
    """The same draws would be too dependent for a p-value; these are further apart and fewer."""
    problem = REVEALING[name]
    states = chain_draws(problem, CONTROLS[control], n_draws=200, thin=40, seed=21)
    verdict = judge(problem, states)
    assert verdict.p_value > ACCEPT, verdict.report
