"""Every mutant of this folder is given to the tests that must reject it.

The tests themselves are in the suites named here; this file looks at what they are run with.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

from tests.exact import (
    test_enumeration,
    test_moves,
    test_openings,
    test_sparse,
    test_stay_put,
)
from tests.joint import test_joint, test_learned_priors
from tests.models import test_calibration
from tests.models.hdp import test_exact as test_hdp
from tests.models.hdp import test_new_documents as test_hdp_documents
from tests.models.lda.new_documents import test_exact
from tests.models.mixture import test_concentration as test_mixture_concentration
from tests.models.mixture import test_exact as test_mixture
from tests.mutants import (
    calibration,
    certified,
    effects,
    given_phi,
    grid,
    hdp,
    intervals,
    mixture,
    moves,
    new_documents,
    openings,
    priors,
    samplers,
    sparse,
    word_checks,
)
from tests.native import test_certified, test_large_blocks
from tests.summaries import test_effects, test_intervals, test_word_checks

REJECTED_BY: dict[str, tuple[Collection[str], Callable[..., None]]] = {
    "samplers.MUTANTS": (samplers.MUTANTS, test_stay_put.test_stay_put_rejects),
    "samplers.LARGE_BLOCK_MUTANTS": (
        samplers.LARGE_BLOCK_MUTANTS,
        test_large_blocks.test_the_law_of_a_large_block_rejects,
    ),
    "certified.BOUND_MUTANTS": (
        certified.BOUND_MUTANTS,
        test_certified.test_bounds_that_are_too_small_are_rejected,
    ),
    "given_phi.MUTANTS": (given_phi.MUTANTS, test_stay_put.test_stay_put_rejects),
    "grid.MUTANTS": (grid.MUTANTS, test_stay_put.test_stay_put_rejects),
    "sparse.SPARSE_MUTANTS": (
        sparse.SPARSE_MUTANTS,
        test_sparse.test_wrong_sparse_samplers_are_rejected,
    ),
    "calibration.HDP_STEP_MUTANTS": (
        calibration.HDP_STEP_MUTANTS,
        test_calibration.test_wrong_steps_of_an_hdp_show_in_the_ranks,
    ),
    "calibration.MIXTURE_STEP_MUTANTS": (
        calibration.MIXTURE_STEP_MUTANTS,
        test_calibration.test_wrong_concentrations_show_in_the_ranks,
    ),
    "hdp.STICK_MUTANTS": (hdp.STICK_MUTANTS, test_hdp.test_wrong_sticks_are_rejected),
    "hdp.HDP_MUTANTS": (hdp.HDP_MUTANTS, test_hdp.test_wrong_moves_are_rejected),
    "hdp.COLOUR_MUTANTS": (hdp.COLOUR_MUTANTS, test_hdp.test_wrong_colours_are_rejected),
    "hdp.GLOBAL_MUTANTS": (hdp.GLOBAL_MUTANTS, test_hdp.test_wrong_global_steps_are_rejected),
    "hdp.NEW_DOCUMENT_MUTANTS": (
        hdp.NEW_DOCUMENT_MUTANTS,
        test_hdp_documents.test_wrong_blocks_of_new_documents_are_rejected,
    ),
    "moves.MOVE_MUTANTS": (moves.MOVE_MUTANTS, test_moves.test_wrong_moves_are_rejected),
    "priors.PRIOR_MUTANTS": (
        priors.PRIOR_MUTANTS,
        test_learned_priors.test_wrong_draws_of_priors_are_rejected,
    ),
    "intervals.INTERVAL_MUTANTS": (
        intervals.INTERVAL_MUTANTS,
        test_intervals.test_wrong_intervals_are_rejected,
    ),
    "effects.EFFECT_MUTANTS": (
        effects.EFFECT_MUTANTS,
        test_effects.test_regressions_of_point_estimates_are_rejected,
    ),
    "word_checks.CHECK_MUTANTS": (
        word_checks.CHECK_MUTANTS,
        test_word_checks.test_wrong_shuffles_are_rejected,
    ),
    "openings.OPENING_MUTANTS": (
        openings.OPENING_MUTANTS,
        test_openings.test_draws_of_annealed_sweeps_are_rejected,
    ),
    "openings.LEARNING_MUTANTS": (
        openings.LEARNING_MUTANTS,
        test_openings.test_priors_learned_while_annealed_are_noticed,
    ),
    "mixture.MIXTURE_MUTANTS": (
        mixture.MIXTURE_MUTANTS,
        test_mixture.test_wrong_sweeps_are_rejected,
    ),
    "mixture.FINITE_MUTANTS": (
        mixture.FINITE_MUTANTS,
        test_mixture.test_wrong_finite_mixtures_are_rejected,
    ),
    "mixture.CONCENTRATION_MUTANTS": (
        mixture.CONCENTRATION_MUTANTS,
        test_mixture_concentration.test_wrong_draws_of_alpha_are_rejected,
    ),
    "new_documents.FOLD_IN_MISTAKES": (
        new_documents.FOLD_IN_MISTAKES,
        test_exact.test_wrong_fold_ins_are_rejected,
    ),
    "new_documents.READING_MISTAKES": (
        new_documents.READING_MISTAKES,
        test_exact.test_wrong_readings_are_rejected,
    ),
}
"""The mutants of a name here, and the test that must reject all of them."""

REJECTED_TOO = {
    "enumeration": (
        test_enumeration.test_enumeration_rejects,
        test_enumeration.LEFT_TO_STAY_PUT,
    ),
    "the joint law": (
        test_joint.test_joint_law_rejects,
        test_joint.TOO_CLOSE,
    ),
}
"""Tests that reject the same samplers by other means, and those they leave to stay-put."""


def run_with(test: Callable[..., None]) -> set[str]:
    """Return the mutants that a test is run with."""
    (mark,) = [mark for mark in test.pytestmark if mark.name == "parametrize"]
    names, values = mark.args
    if isinstance(names, str):
        names, values = [names], [[value] for value in values]
    at = next(i for i, name in enumerate(names) if name in ("mutant", "mistake"))
    return {value[at] for value in values}


def collections() -> Iterator[str]:
    """Yield where mutants are, by the names of modules and collections."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if not path.stem.startswith("test_"):
            module = importlib.import_module(f"tests.mutants.{path.stem}")
            for name in vars(module):
                if name.endswith(("MUTANTS", "MISTAKES")):
                    yield f"{path.stem}.{name}"


def test_every_collection_of_mutants_has_a_test():
    assert set(collections()) == set(REJECTED_BY)


@pytest.mark.parametrize("name", REJECTED_BY)
def test_every_mutant_is_run_by_the_test_that_rejects_it(name):
    mutants, test = REJECTED_BY[name]
    assert mutants
    assert set(mutants) <= run_with(test)


def test_no_test_has_other_mutants():
    known = {mutant for mutants, _ in REJECTED_BY.values() for mutant in mutants}
    for _, test in REJECTED_BY.values():
        assert run_with(test) <= known


@pytest.mark.parametrize("name", REJECTED_TOO)
def test_other_tests_run_all_samplers_but_those_they_leave(name):
    test, left = REJECTED_TOO[name]
    assert run_with(test) == set(samplers.MUTANTS) - set(left)
    assert set(left) < set(samplers.MUTANTS)
