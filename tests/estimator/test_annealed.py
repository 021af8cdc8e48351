"""Fits with annealed starts: how long they anneal, and that no draw is kept before its end."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.estimator.plan import FitPlan, annealed_sweeps
from tests.estimator.settings import COUNTS, make


@pytest.mark.parametrize("burn_in", [10, 11, 12, 25])
def test_four_fifths_of_the_burn_in_are_annealed(burn_in):
    lda = make(init="annealed", burn_in=burn_in, n_sweeps=40, thin=1, n_chains=2)
    lda.set_params(keep_draws=30).fit(COUNTS)
    for chain in lda.chains_:
        assert chain.opening_sweeps == annealed_sweeps(burn_in) == 4 * burn_in // 5
    assert min(draw.sweep for draw in lda.draws_) == burn_in + 1 > annealed_sweeps(burn_in)


def test_an_annealed_start_has_a_long_burn_in_of_its_own():
    corpus = blocklda.Corpus.from_matrix(COUNTS)
    for n_sweeps, burn_in in ((60, 30), (400, 100)):
        plan = FitPlan.create(make(init="annealed", burn_in="auto", n_sweeps=n_sweeps), corpus)
        assert plan.schedule.burn_in == burn_in


@pytest.mark.parametrize("settings", [{"burn_in": 9}, {"burn_in": "auto", "n_sweeps": 18}])
def test_a_burn_in_that_is_too_short_is_refused(settings):
    with pytest.raises(blocklda.InputError, match=r"burn_in=9 is too short.*at least 10"):
        make(init="annealed", **settings).fit(COUNTS)


def test_priors_wait_for_the_plain_sweeps():
    seen = []
    lda = make(
        init="annealed",
        burn_in=20,
        n_sweeps=40,
        learn_alpha="asymmetric",
        learn_how="sampled",
        callback=lambda draw: seen.append(draw.sweep),
    ).fit(COUNTS)
    assert min(seen) > 20
    assert not np.array_equal(lda.alpha_, np.full(3, 0.3))


def test_chains_do_not_depend_on_the_number_of_jobs():
    one, two = (
        make(init="annealed", burn_in=12, n_chains=3, n_jobs=n_jobs).fit(COUNTS)
        for n_jobs in (1, 2)
    )
    assert np.array_equal(one.components_, two.components_)
