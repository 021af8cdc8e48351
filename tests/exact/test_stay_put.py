"""A population of exact draws, advanced by a few sweeps, must still have the exact law.

Mixing plays no part in this, so every sampler takes every case; and a scan that is biased by the
order of the tokens cannot hide behind slow label switching.
"""

from __future__ import annotations

import pytest

import blocklda
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.convolution import fft_from
from tests.exact.cases import CASES, GRID_REVEALING, ORDER_REVEALING, PRODUCT, REVEALING
from tests.exact.fit import ACCEPT, REJECT, Verdict, judge
from tests.exact.problem import Problem
from tests.exact.runs import advanced_draws, advanced_topics, smallest_p_value
from tests.models.lda.samplers.options import in_use
from tests.mutants import grid as grid_mutants
from tests.mutants.samplers import CONTROLS, MUTANTS

SEED = 30

OPTIONS = {
    "parts of 1": {"max_block": 1},
    "parts of 2": {"max_block": 2},
    "fft": {"convolution": "fft"},
    "fft of parts": {"convolution": "fft", "max_block": 2},
}


def verdict_on(
    problem: Problem, sampler: str | Sweep, n_draws: int, n_sweeps: int, **options
) -> Verdict:
    states = advanced_draws(problem, sampler, n_draws, n_sweeps, SEED, **options)
    return judge(problem, states)


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
@pytest.mark.parametrize("name", CASES)
def test_one_sweep_leaves_the_law_as_it_is(name, sampler):
    verdict = verdict_on(CASES[name].problem, sampler, n_draws=4_000, n_sweeps=1)
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
@pytest.mark.parametrize(
    "problem",
    [REVEALING, ORDER_REVEALING, GRID_REVEALING],
    ids=["small", "large block", "several cells"],
)
def test_three_sweeps_leave_the_law_as_it_is(problem, sampler):
    """On the very problems that give the mutants away, with more draws than those need."""
    verdict = verdict_on(problem, sampler, n_draws=6_000, n_sweeps=3)
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize(("options", "sampler"), in_use(blocklda.SAMPLERS, OPTIONS))
@pytest.mark.parametrize("name", ["3 topics, asymmetric alpha, beta matrix", "5 topics"])
def test_options_leave_the_law_as_it_is(name, options, sampler):
    verdict = verdict_on(CASES[name].problem, sampler, n_draws=2_500, n_sweeps=1, **options)
    assert verdict.p_value > ACCEPT, verdict.report


def test_without_options_every_block_is_convolved_directly():
    largest = max(case.problem.corpus.max_count for case in CASES.values())
    assert largest < fft_from("auto") < fft_from("direct")


def test_the_product_has_every_kind_of_prior():
    assert len(PRODUCT) == 12


CAUGHT_BY_ONE_SWEEP = {
    "token left in n_dk": REVEALING,
    "token left in n_vk": REVEALING,
    "token left in n_k": REVEALING,
    "block left in n_dk": REVEALING,
    "priors swapped": REVEALING,
    "beta in place of V beta": REVEALING,
    "alpha the same for all topics": REVEALING,
    "uniforms used twice by single-site": REVEALING,
    "uniforms used twice by nested": REVEALING,
    "tokens scanned in sorted order": ORDER_REVEALING,
    "parts of a sorted block": ORDER_REVEALING,
    "nested without n!": REVEALING,
    "backward without n!": REVEALING,
    "children swapped": REVEALING,
    "half of the leaves tilted": REVEALING,
    "forward sums one topic late": REVEALING,
    "theta without alpha": REVEALING,
    "theta not drawn": REVEALING,
    "phi not drawn": REVEALING,
    "phi of words with tokens only": REVEALING,
    "tokens of a block apart given phi": REVEALING,
    "one cycle for a block": REVEALING,
    "block left in n_dk given phi": REVEALING,
    **dict.fromkeys(grid_mutants.MUTANTS, GRID_REVEALING),
}
CAUGHT_BY_THREE_SWEEPS = {
    # Nearly a lazy sampler: one sweep hardly moves the law.
    "token left in all counts": REVEALING,
    # The first sweep from a sorted block shows little in a small one; the next ones do.
    "tokens scanned in sorted order": REVEALING,
    "parts of a sorted block": REVEALING,
}


def test_every_mutant_is_claimed():
    assert {*CAUGHT_BY_ONE_SWEEP, *CAUGHT_BY_THREE_SWEEPS} == set(MUTANTS)


@pytest.mark.parametrize(
    ("mutant", "n_sweeps", "problem"),
    [
        *((mutant, 1, problem) for mutant, problem in CAUGHT_BY_ONE_SWEEP.items()),
        *((mutant, 3, problem) for mutant, problem in CAUGHT_BY_THREE_SWEEPS.items()),
    ],
)
def test_stay_put_rejects(mutant, n_sweeps, problem):
    topics = advanced_topics(problem, MUTANTS[mutant], n_sweeps, SEED)
    assert smallest_p_value(problem, topics) < REJECT


@pytest.mark.parametrize("n_sweeps", [1, 3])
@pytest.mark.parametrize("control", CONTROLS)
def test_stay_put_accepts_what_the_mutants_were_made_from(control, n_sweeps):
    verdict = verdict_on(REVEALING, CONTROLS[control], 1_000, n_sweeps)
    assert verdict.p_value > ACCEPT, verdict.report
