"""Every sampler against the joint law of topics and words, by Geweke's test."""

from __future__ import annotations

import pytest

from tests.exact.fit import ACCEPT, REJECT
from tests.joint.geweke import Model, n_draws_of, smallest_p_value, verdict
from tests.models.lda.samplers.options import uses
from tests.models.lda.samplers.subjects import SUBJECTS
from tests.mutants.samplers import MUTANTS, mutants_but

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
        for sampler in SUBJECTS
        if uses(sampler, options)
    ],
)
def test_topics_and_words_have_their_joint_law(run, sampler):
    model, options = RUNS[run]
    found = verdict(model, sampler, n_draws_of(sampler), seed=40, **options)
    assert found.p_value > ACCEPT, found.report


TOO_CLOSE = (
    "token left in all counts",
    "token left in n_dk",
    "token left in n_vk",
    "token left in n_k",
    "block left in n_dk given phi",
    "token left in n_dk given phi",
    "phi not drawn",
    "masses of groups not drawn",
    "masses of groups from old totals",
)
"""Tokens left in the counts make nearly lazy samplers, and a few tokens tell little of φ or of the
masses of groups: here this test would need several times the draws. Stay-put catches them."""


@pytest.mark.parametrize("mutant", mutants_but(TOO_CLOSE))
def test_joint_law_rejects(mutant):
    assert smallest_p_value(UNEVEN, MUTANTS[mutant], seed=41) < REJECT
