"""Priors that nobody gave: learned by default, on any corpus, and the same when a fit resumes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import blocklda
from blocklda import InputError
from blocklda.models.lda.prior_learning import sampled
from blocklda.models.lda.prior_learning.settings import BOUNDS
from tests.estimator.settings import COUNTS, make
from tests.mutants.priors import PRIOR_MUTANTS

AUTO = {"alpha": "auto", "beta": "auto"}
GIVEN = {"alpha": 0.1, "beta": 0.01}


@pytest.mark.parametrize(
    ("given", "learns_alpha", "learns_beta"),
    [
        ({}, True, True),
        ({"alpha": 0.1}, False, True),
        ({"beta": 0.01}, True, False),
        ({"learn_alpha": "none"}, False, True),
        ({"learn_beta": False}, True, False),
        ({"alpha": 0.1, "beta": 0.01}, False, False),
        ({"alpha": 0.1, "learn_alpha": "symmetric", "beta": 0.01}, True, False),
        ({"seed_words": {0: [1]}}, True, False),
        ({"beta": np.full((3, 9), 0.01)}, True, False),
    ],
)
def test_what_a_fit_learns(given, learns_alpha, learns_beta):
    lda = make(**{**AUTO, **given}).fit(COUNTS)
    assert (not np.allclose(lda.alpha_, 0.1)) is learns_alpha
    if learns_beta:
        assert lda.beta_ != 0.01
    else:
        assert np.min(lda.beta_) == pytest.approx(0.01)
    differs = bool(np.ptp(lda.alpha_) > 1e-9)
    assert differs is (learns_alpha and "learn_alpha" not in given)


def test_the_default_is_to_learn_both():
    lda = blocklda.LDA(3, n_sweeps=30, random_state=1).fit(COUNTS)
    same = make(
        **AUTO, learn_alpha="asymmetric", learn_beta="symmetric", burn_in=15, thin=4, init="auto"
    ).fit(COUNTS)
    assert np.array_equal(lda.alpha_, same.alpha_)
    assert np.array_equal(lda.components_, same.components_)
    assert lda.result_.burn_in == 15


def test_seed_words_and_an_explicit_beta_to_learn_are_refused():
    with pytest.raises(InputError, match="learn_beta='symmetric' learns one number"):
        make(**AUTO, seed_words={0: [1]}, learn_beta="symmetric").fit(COUNTS)


@pytest.mark.parametrize(
    "counts",
    [[[1]], [[3, 1, 0]], [[5], [2]], np.eye(3, dtype=int), np.ones((2, 2), dtype=int)],
    ids=["one token", "one document", "one word", "apart", "even"],
)
@pytest.mark.parametrize("how", ["optimised", "sampled"])
@pytest.mark.parametrize("n_sweeps", [1, 3, 40])
def test_any_corpus_can_be_fitted(counts, how, n_sweeps):
    lda = blocklda.LDA(1, n_sweeps=n_sweeps, thin=1, random_state=0, learn_how=how).fit(counts)
    for values in (lda.alpha_, np.asarray(lda.beta_)):
        assert ((BOUNDS[0] <= values) & (values <= BOUNDS[1])).all()
    np.testing.assert_allclose(lda.transform(counts).sum(axis=1), 1)


@pytest.mark.parametrize("how", ["optimised", "sampled"])
@pytest.mark.parametrize("prior", [(0.1, 1e6), (1e6, 1e-6)])
def test_learned_numbers_stay_within_bounds(how, prior):
    lda = make(**AUTO, learn_how=how, alpha_prior=prior, beta_prior=prior).fit(COUNTS)
    for draw in lda.draws_:
        for values in (draw.priors.alpha, draw.priors.beta):
            assert ((BOUNDS[0] <= values) & (values <= BOUNDS[1])).all()


@pytest.mark.parametrize("how", ["optimised", "sampled"])
def test_a_fit_resumes_to_the_bit(how, tmp_path):
    settings = {**AUTO, "learn_how": how}
    whole = make(**settings).fit(COUNTS)
    warm = make(**settings, n_sweeps=12, warm_start=True).fit(COUNTS)
    warm.set_params(n_sweeps=30).fit(COUNTS)
    make(**settings, n_sweeps=12).fit(COUNTS, checkpoint=tmp_path)
    resumed = make(**settings).fit(COUNTS, checkpoint=tmp_path)
    for lda in (warm, resumed):
        for name in ("alpha_", "beta_", "components_", "log_posterior_"):
            assert np.array_equal(getattr(lda, name), getattr(whole, name))


def test_a_run_with_given_priors_is_resumed_by_naming_them(tmp_path):
    fixed = {**GIVEN, "learn_alpha": "none", "learn_beta": "none"}
    make(**fixed, n_sweeps=12).fit(COUNTS, checkpoint=tmp_path)
    resumed = make(**GIVEN).fit(COUNTS, checkpoint=tmp_path)
    assert np.array_equal(resumed.components_, make(**fixed).fit(COUNTS).components_)
    with pytest.raises(InputError, match=r"made with learn_alpha=\"none\", but now"):
        make(**AUTO).fit(COUNTS, checkpoint=tmp_path)


def test_a_saved_model_keeps_auto(tmp_path):
    lda = make(**AUTO).fit(COUNTS)
    lda.save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    assert (loaded.alpha, loaded.beta, loaded.learn_alpha) == ("auto", "auto", "auto")
    assert np.array_equal(loaded.alpha_, lda.alpha_)
    assert loaded.beta_ == lda.beta_


# --- what it is worth


@cache
def held_out() -> tuple[blocklda.Corpus, blocklda.Corpus]:
    """Documents with unequal topics, as text has them, and half of the tokens of some."""
    rng = np.random.default_rng(8)
    theta = rng.dirichlet(1.5 * np.arange(1, 9.0) ** -1.5, size=200)
    phi = rng.dirichlet(np.full(300, 0.08), size=8)
    corpus = blocklda.simulate.draw_corpus(theta, phi, 50, rng)
    return blocklda.split_tokens(corpus, slice(120, None), seed=0)


def mean_log_predictive(**settings: object) -> float:
    train, test = held_out()
    lda = blocklda.LDA(8, n_sweeps=80, burn_in=40, random_state=0, **settings).fit(train)
    return float(test.counts @ lda.log_predictive(test) / test.n_tokens)


@pytest.mark.parametrize("how", ["optimised", "sampled"])
def test_learned_priors_predict_better_than_given_ones(how):
    assert mean_log_predictive(learn_how=how) > mean_log_predictive(**GIVEN) + 0.02


def test_wrongly_learned_priors_do_not(monkeypatch):
    module, name, wrong = PRIOR_MUTANTS["shape without the tables"]
    assert module is sampled
    monkeypatch.setattr(module, name, wrong)
    assert mean_log_predictive(learn_how="sampled") < mean_log_predictive(**GIVEN) + 0.02
