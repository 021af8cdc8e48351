"""Every sampler against the joint law of topics and words, by Geweke's test."""

from __future__ import annotations

import pytest

import blocklda
from tests.exact.fit import ACCEPT, REJECT
from tests.joint.geweke import Model, smallest_p_value, verdict, verdicts
from tests.models.lda.samplers.options import uses
from tests.mutants import given_phi as given_phi_mutants
from tests.mutants import grid as grid_mutants
from tests.mutants.samplers import CONTROLS, MUTANTS, mutants_but

UNEVEN = Model((6, 4, 0, 1), n_words=3, n_topics=3, alpha=(0.3, 0.6, 1.2), beta=0.2)
MATRIX = Model((5, 3), n_words=2, n_topics=2, alpha=0.5, beta=((0.3, 1.1), (0.8, 0.4)))
RUNS = {
    "asymmetric alpha": (UNEVEN, {}),
    "beta matrix": (MATRIX, {}),
    "parts of 2": (UNEVEN, {"max_block": 2}),
}


@pytest.mark.parametrize(
    ("run", "sampler"),
    [
        (run, sampler)
        for run, (_, options) in RUNS.items()
        for sampler in blocklda.SAMPLERS
        if uses(sampler, options)
    ],
)
def test_topics_and_words_have_their_joint_law(run, sampler):
    model, options = RUNS[run]
    found = verdict(model, sampler, n_draws=5_000, seed=40, **options)
    assert found.p_value > ACCEPT, found.report


TOO_CLOSE = (
    "token left in all counts",
    "token left in n_dk",
    "token left in n_vk",
    "token left in n_k",
    "block left in n_dk",
    "block left in n_dk given phi",
)
"""Tokens left in the counts make nearly lazy samplers: their joint law is so close to the right one
that this test would need a hundred times the draws. Enumeration and stay-put catch them."""

CAUGHT_SOON = ("tokens of a block apart given phi", "masses of groups from the prior")

LEFT_TO_STAY_PUT = (
    "uniforms used twice by nested",
    *(
        name
        for name in (*given_phi_mutants.MUTANTS, *grid_mutants.MUTANTS)
        if name not in (*CAUGHT_SOON, *TOO_CLOSE)
    ),
)
"""Caught here too, but by tens of thousands of slow sweeps; of the twins that draw φ or masses one
mutant each will do here."""


@pytest.mark.parametrize("mutant", mutants_but((*TOO_CLOSE, *LEFT_TO_STAY_PUT)))
def test_joint_law_rejects(mutant):
    # Batch means need a chain that is long beside its autocorrelation time.
    stages = (1_000, 4_000, 12_000)
    assert smallest_p_value(verdicts(UNEVEN, MUTANTS[mutant], stages, seed=41)) < REJECT


@pytest.mark.parametrize("control", CONTROLS)
def test_joint_law_accepts_what_the_mutants_were_made_from(control):
    found = verdict(UNEVEN, CONTROLS[control], n_draws=1_000, seed=41)
    assert found.p_value > ACCEPT, found.report
