"""`torture.exactness` at toy size: p-values are uniform by construction, and mutants are found."""

from __future__ import annotations

import numpy as np
import pytest

from blocklda.testing.verdict import ACCEPT
from tests.mutants.test_every_mutant_is_rejected import REJECTED_BY
from torture.exactness.__main__ import cases, run_tests
from torture.exactness.cases import Case
from torture.exactness.counts import Counts, uniformity
from torture.exactness.lda_cases import lda_functions, lda_problem
from torture.exactness.mutants import MUTANTS, problems_until_found
from torture.exactness.ranks import rank_p_value


def test_p_values_of_samplers_are_uniform_and_a_second_run_goes_on(tmp_path):
    path = tmp_path / "exactness.json"
    counts = Counts.load(path)
    run_tests(counts, 40, seed=1)
    again = Counts.load(path)
    assert again.n_tests == counts.n_tests >= 40
    run_tests(again, counts.n_tests + 10, seed=1)
    assert again.n_blocks > counts.n_blocks
    assert uniformity(again.bins["all"]) > ACCEPT
    assert all(one.p_value > ACCEPT for one in again.worst)


def test_p_values_of_a_sampler_that_stays_where_it_is_are_uniform():
    """Exact draws that nothing moves are exact: this tests the test."""
    counts = Counts(None)
    for number in range(60):
        rng = np.random.default_rng([9, number])
        problem, tags = lda_problem(rng, 60)
        case = Case(problem, lambda state, options, n: 0, 1, tags, lda_functions)
        for seed in range(10):
            counts.add(tags, rank_p_value(case, 20, 100 * number + seed))
    assert counts.n_tests == 600
    assert uniformity(counts.bins["all"]) > ACCEPT


def test_p_values_of_a_wrong_sampler_are_not():
    """All tokens in the first topic."""

    def sweep(state, options, n_sweeps):
        state.topics[:] = 0
        return 0

    counts = Counts(None)
    for number in range(10):
        rng = np.random.default_rng([8, number])
        problem, tags = lda_problem(rng, 60, large=False)
        case = Case(problem, sweep, 1, tags, lda_functions)
        for seed in range(4):
            counts.add(tags, rank_p_value(case, 30, 100 * number + seed))
    assert uniformity(counts.bins["all"]) < 1e-6


@pytest.mark.parametrize(
    "mutant", ["priors swapped", "size to the power j", "others as a difference (sparse)"]
)
def test_mutants_are_found(mutant):
    assert problems_until_found(mutant, seed=0) > 0


def test_every_wrong_sampler_and_move_is_among_the_mutants():
    collections = (
        "samplers.MUTANTS",
        "samplers.LARGE_BLOCK_MUTANTS",
        "moves.MOVE_MUTANTS",
        "hdp.HDP_MUTANTS",
        "hdp.COLOUR_MUTANTS",
        "hdp.STICK_MUTANTS",
        "mixture.MIXTURE_MUTANTS",
        "mixture.FINITE_MUTANTS",
    )
    for name in collections:
        assert set(REJECTED_BY[name][0]) <= set(MUTANTS)
    sparse = {f"{name} (sparse)" for name in REJECTED_BY["sparse.SPARSE_MUTANTS"][0]}
    assert sparse <= set(MUTANTS)


def test_problems_have_sizes_at_the_ends_of_lanes_lists_and_parts():
    seen = {feature: set() for feature in ("topics", "largest block", "parts", "beta", "alpha")}
    for number in range(400):
        _, tags = lda_problem(np.random.default_rng([7, number]), 300)
        for feature, values in seen.items():
            values.add(tags[feature])
    assert {"7", "8", "9", "15", "16", "17"} <= seen["topics"]
    assert {"8", "9", "16", "17", "more"} <= seen["largest block"]
    assert {"None", "1", "8", "9", "16"} <= seen["parts"]
    assert {"seed words", "matrix", "tiny"} <= seen["beta"]
    models = {cases(np.random.default_rng([6, i]))[0].tags["model"] for i in range(60)}
    assert models == {"lda", "hdp", "mixture"}
