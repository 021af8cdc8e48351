"""Simulation-based calibration of the models whose number of topics varies."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from blocklda import testing
from blocklda.models.hdp.global_step import GlobalStep, Learning
from blocklda.models.hdp.sampler import find_sampler
from tests.exact.fit import ACCEPT, REJECT
from tests.mutants.calibration import HDP_STEP_MUTANTS, MIXTURE_STEP_MUTANTS


def p_of_hdp(step: type[GlobalStep], n_truths: int, seed: int) -> float:
    joint = testing.HDPJoint((6, 6, 5, 5, 4), n_words=4, beta=0.3)
    sweep = find_sampler("sparse", step(Learning())).sweep("native")
    return testing.ranks_of_truths(joint, sweep, n_truths, seed).verdict().p_value


def p_of_mixture(n_truths: int, seed: int) -> float:
    (subject,) = testing.find_subjects("mixture")
    joint = testing.MixtureJoint((6, 6, 5, 5, 4), n_words=4, beta=0.3)
    return testing.ranks_of_truths(joint, subject.sweep, n_truths, seed, thin=10).verdict().p_value


def test_ranks_of_an_hdp_are_uniform():
    assert p_of_hdp(GlobalStep, 120, 1) > ACCEPT


def test_ranks_of_a_mixture_are_uniform():
    assert p_of_mixture(250, 2) > ACCEPT


@pytest.mark.parametrize("mutant", HDP_STEP_MUTANTS)
def test_wrong_steps_of_an_hdp_show_in_the_ranks(mutant):
    assert p_of_hdp(HDP_STEP_MUTANTS[mutant], 60, 3) < REJECT


@pytest.mark.parametrize("mutant", MIXTURE_STEP_MUTANTS)
def test_wrong_concentrations_show_in_the_ranks(mutant):
    with patch("blocklda.models.mixture.sampler.draw_concentration", MIXTURE_STEP_MUTANTS[mutant]):
        assert p_of_mixture(100, 4) < REJECT
