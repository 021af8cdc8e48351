"""A population of exact draws, advanced by a few sweeps, must still have the exact law.

Mixing plays no part in this, so every sampler takes every case; and a scan that is biased by the
order of the tokens cannot hide behind slow label switching.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, islice

import numpy as np
import pytest

from blocklda.models.lda.samplers.convolution import fft_from
from tests.exact.cases import (
    CASES,
    FEWER_CASES,
    GRID_REVEALING,
    ORDER_REVEALING,
    PAIRS,
    PRODUCT,
    REVEALING,
)
from tests.exact.fit import ACCEPT, REJECT, Verdict, judge
from tests.exact.problem import Problem
from tests.exact.runs import (
    SLOW,
    advanced_draws,
    advanced_topics,
    n_draws_of,
    smallest_p_value,
)
from tests.models.lda.samplers.options import in_use
from tests.models.lda.samplers.subjects import SUBJECTS
from tests.mutants import grid as grid_mutants
from tests.mutants.samplers import CONTROLS, MUTANTS

SEED = 30

OPTIONS = {
    "parts of 1": {"max_block": 1},
    "parts of 2": {"max_block": 2},
    "fft": {"convolution": "fft"},
    "fft of parts": {"convolution": "fft", "max_block": 2},
}


REVEALING_PROBLEMS = {
    "small": REVEALING,
    "large block": ORDER_REVEALING,
    "several cells": GRID_REVEALING,
}
REVEALS_SLOW = {
    "augmented": "small",
    "partially-collapsed": "small",
    "partially-collapsed on lists": "small",
    "grid": "several cells",
    "grid on lists": "several cells",
}
"""The problem that gives the mutants of a slow sampler away."""


def verdict_on(
    problem: Problem, sampler: str, n_draws: int, n_sweeps: int, **options: object
) -> Verdict:
    states = advanced_draws(problem, sampler, n_draws, n_sweeps, SEED, **options)
    return judge(problem, states)


@pytest.mark.parametrize(
    ("name", "sampler"),
    [
        (name, sampler)
        for sampler in SUBJECTS
        for name in (FEWER_CASES if sampler in SLOW else CASES)
    ],
)
def test_one_sweep_leaves_the_law_as_it_is(name, sampler):
    verdict = verdict_on(CASES[name].problem, sampler, n_draws_of(sampler), n_sweeps=1)
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("sampler", SUBJECTS)
@pytest.mark.parametrize("name", REVEALING_PROBLEMS)
def test_what_gives_mutants_away_leaves_the_law_as_it_is(name, sampler):
    """With as many draws and sweeps as the mutants need; those of slow samplers show in one."""
    n_draws = n_draws_of(sampler, revealing=REVEALS_SLOW.get(sampler, name) == name)
    n_sweeps = 1 if sampler in SLOW else 3
    verdict = verdict_on(REVEALING_PROBLEMS[name], sampler, n_draws, n_sweeps)
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize(("options", "sampler"), in_use(SUBJECTS, OPTIONS))
@pytest.mark.parametrize("name", ["3 topics, asymmetric alpha, beta matrix", "5 topics"])
def test_options_leave_the_law_as_it_is(name, options, sampler):
    n_draws = 1_000 if "convolution" in options else n_draws_of(sampler)
    verdict = verdict_on(CASES[name].problem, sampler, n_draws, n_sweeps=1, **options)
    assert verdict.p_value > ACCEPT, verdict.report


def test_without_options_every_block_is_convolved_directly():
    largest = max(case.problem.corpus.max_count for case in CASES.values())
    assert largest < fft_from("auto") < fft_from("direct")


def pairs_of(names: Iterable[str]) -> set[tuple[str, ...]]:
    """Return each two of topics, α and β that occur together."""
    return {pair for name in names for pair in combinations(name.split(", "), 2)}


def test_the_product_has_every_kind_of_prior_and_half_of_it_each_two():
    assert len(PRODUCT) == 12
    assert pairs_of(PAIRS) == pairs_of(PRODUCT)


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
    "token left in n_dk given phi": REVEALING,
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


@pytest.mark.parametrize("problem", REVEALING_PROBLEMS.values(), ids=REVEALING_PROBLEMS)
@pytest.mark.parametrize("control", CONTROLS)
def test_what_the_mutants_were_made_from_draws_what_the_kernels_draw(control, problem):
    """So all tests that reject a mutant may accept a kernel in the place of its twin."""
    of_twin, of_kernel = (
        list(islice(advanced_topics(problem, sweep, 2, SEED), 50)) for sweep in CONTROLS[control]
    )
    np.testing.assert_array_equal(of_twin, of_kernel)
