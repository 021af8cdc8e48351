"""Topics, words and sampled α and β against their joint law, by Geweke's test."""

from __future__ import annotations

from dataclasses import replace

import pytest

import blocklda
from blocklda.models.lda.prior_learning import PriorLearning
from tests.exact.fit import ACCEPT, REJECT
from tests.joint.geweke import N_DRAWS, Model, n_draws_of, smallest_p_value, verdict
from tests.mutants.priors import PRIOR_MUTANTS, mutant_of


def learning(alpha: str, beta: str) -> PriorLearning:
    return PriorLearning.create(alpha, beta, "sampled", (2.0, 3.0), (3.0, 5.0))


EACH = Model((6, 4, 0, 1), n_words=3, n_topics=3, learning=learning("asymmetric", "symmetric"))
SHARED = Model((5, 0, 3, 2), n_words=4, n_topics=3, learning=learning("symmetric", "symmetric"))
ALPHA = Model((5, 3), n_words=2, n_topics=2, beta=0.3, learning=learning("asymmetric", "none"))
SEEDED = replace(ALPHA, beta=((0.3, 1.1), (0.8, 0.4)))
BETA = Model((5, 3), 3, 2, alpha=(0.3, 0.9), learning=learning("none", "symmetric"))
MODELS = {
    "an alpha for each topic, one beta": EACH,
    "one alpha, one beta": SHARED,
    "an alpha for each topic": ALPHA,
    "alphas beside a beta matrix": SEEDED,
    "one beta": BETA,
}


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_topics_words_and_priors_have_their_joint_law(sampler):
    found = verdict(EACH, sampler, n_draws_of(sampler), seed=42)
    assert found.p_value > ACCEPT, found.report


@pytest.mark.parametrize("name", list(MODELS)[1:])
def test_whatever_is_learned_has_its_law(name):
    found = verdict(MODELS[name], "single-site", N_DRAWS, seed=43)
    assert found.p_value > ACCEPT, found.report


CAUGHT_ON = dict.fromkeys(PRIOR_MUTANTS, (EACH, SHARED)) | {
    "tables of the next topic": (EACH,),
}


@pytest.mark.parametrize(
    ("mutant", "model"),
    [(mutant, model) for mutant, models in CAUGHT_ON.items() for model in models],
)
def test_wrong_draws_of_priors_are_rejected(mutant, model):
    wrong = mutant_of(model.learning, mutant)
    assert smallest_p_value(model, "single-site", 44, wrong) < REJECT
