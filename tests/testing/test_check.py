"""`check` accepts samplers that are exact and rejects those that are not, of every model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import blocklda
from blocklda import testing
from blocklda.models.hdp.global_step import GlobalStep, Learning
from blocklda.models.hdp.sampler import KINDS
from blocklda.models.hdp.sampler import Sampler as HDPSampler
from blocklda.models.lda.samplers.registry import find_sampler
from blocklda.models.mixture.sampler import Sampler as MixtureSampler
from tests.mutants.calibration import TablesOfOne
from tests.mutants.mixture import MIXTURE_MUTANTS
from tests.mutants.samplers import MUTANTS


def rejected_by(report: testing.Report) -> set[str]:
    return {row.test for row in report.rows if row.p_value < testing.REJECT}


def on_one_problem(sampler: object, name: str, seed: int) -> testing.Report:
    """Check on one problem alone: the twins that mutants are made from are slow."""
    subject = testing.subject_of(sampler)
    changed = replace(subject, problems={name: subject.problems[name]}, joints={})
    return testing.check(changed, quick=True, seed=seed)


@pytest.mark.parametrize("sampler", ["single-site", "sparse", "hdp/sparse", "mixture"])
def test_exact_samplers_are_accepted(sampler):
    report = testing.check(sampler, quick=True, seed=1)
    assert report.is_exact, report.rows
    assert {row.test for row in report.rows} == {
        "one-step",
        "three steps",
        "enumeration",
        "Geweke",
        "calibration",
    }


@pytest.mark.parametrize(
    "mutant", ["priors swapped", "nested without n!", "uniforms used twice by nested"]
)
def test_wrong_samplers_of_lda_are_rejected(mutant):
    report = on_one_problem(MUTANTS[mutant], "asymmetric alpha", seed=2)
    assert not report.is_exact
    assert rejected_by(report)


def test_every_kind_of_test_rejects_a_sampler_that_forgets_its_data():
    """Topics at random have the right number of tokens and nothing else."""

    def forgetful(state, options, n_sweeps):
        state.topics[:] = state.rng.integers(state.priors.n_topics, size=len(state.topics))
        return len(state.topics)

    found = rejected_by(testing.check(forgetful, quick=True, seed=3))
    assert found == {"one-step", "three steps", "enumeration", "Geweke", "calibration"}


def test_a_sampler_that_never_moves_is_rejected_by_the_long_chain_alone():
    """It leaves every distribution as it is; only ergodicity is missing."""
    report = testing.check(lambda state, options, n_sweeps: 0, quick=True, seed=4)
    assert not report.is_exact
    assert rejected_by(report) <= {"enumeration", "calibration"}
    assert "enumeration" in rejected_by(report)


def test_a_wrong_global_step_of_an_hdp_is_rejected():
    wrong = HDPSampler("wrong", KINDS["sparse"], TablesOfOne(Learning()))
    subject = replace(testing.subject_of(wrong), problems={})
    assert not testing.check(subject, quick=True, seed=5).is_exact


def test_a_wrong_sampler_of_mixtures_is_rejected():
    sweep = MIXTURE_MUTANTS["new components without 1/j"]
    wrong = MixtureSampler("wrong", native=sweep, python=sweep)
    assert not on_one_problem(wrong, "large alpha", seed=6).is_exact


def test_objects_and_names_lead_to_the_same_subject():
    nested = testing.subject_of(find_sampler("nested"))
    assert nested.name == testing.find_subjects("nested")[0].name == "nested"
    assert testing.subject_of(nested) is nested
    own = HDPSampler("own", KINDS["sparse"], GlobalStep(Learning()))
    assert testing.subject_of(own).name == "hdp/own"
    names = [subject.name for subject in testing.find_subjects("lda")]
    assert names == list(blocklda.SAMPLERS)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nest", "is not a model or sampler"),
        ("hdp/nested", "sampler"),
        ("mixture/nested", "sampler"),
        ("no.such.module:X", "cannot be imported"),
        ("blocklda.models.base:NOTHING", "has no 'NOTHING'"),
        ("blocklda.models.base:LOG_PREDICTIVE", "is not a sampler"),
    ],
)
def test_other_names_are_refused(name, said):
    with pytest.raises(blocklda.InputError, match=said):
        testing.find_subjects(name)


def test_ranks_break_ties_at_random():
    """A number of topics is tied most of the time; its ranks are uniform still."""
    (subject,) = testing.find_subjects("mixture")
    joint = subject.joints["learned alpha"]
    ranks = testing.ranks_of_truths(joint, subject.sweep, 300, seed=7)
    counts = ranks.counts()["components"]
    assert counts.sum() == 300
    assert counts.min() > 300 / 8 - 4.5 * np.sqrt(300 / 8)
