"""A fit: what it returns, how it goes on, how it stops."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import blocklda
from blocklda import CapacityError, InputError
from blocklda.models.lda.predictive import perplexity
from blocklda.support import memory
from tests.estimator.settings import COUNTS, HELDOUT, SAMPLER, STARTS, TRAIN, WITH_EMPTY, make


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("n_chains", [1, 3])
def test_what_a_fit_returns(init, n_chains):
    lda = make(init=init, n_chains=n_chains)
    assert lda.fit(TRAIN) is lda
    assert lda.components_.shape == (3, 9)
    assert lda.doc_topic_.shape == (12, 3)
    assert lda.topic_word_ is lda.components_
    assert lda.components_.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert lda.doc_topic_.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert lda.log_posterior_.shape == (n_chains, 30)
    assert np.isfinite(lda.log_posterior_).all()
    assert lda.n_features_in_ == 9
    assert lda.n_sweeps_ == 30
    assert [chain.n_sweeps for chain in lda.chains_] == [30] * n_chains
    assert lda.log_predictive(HELDOUT).shape == (HELDOUT.nnz,)
    assert sorted((draw.chain, draw.sweep) for draw in lda.draws_) == [
        (chain, sweep) for chain in range(n_chains) for sweep in range(6, 31, 3)
    ]


def test_a_fit_is_what_its_chains_would_do_alone():
    lda = make(n_chains=2, moves=()).fit(TRAIN)
    for number, seed in enumerate(np.random.SeedSequence(1).spawn(2)):
        chain = blocklda.Chain(TRAIN, 3, 0.3, 0.2, sampler=SAMPLER, init=STARTS[0], seed=seed)
        kept = {draw.sweep: draw for draw in lda.draws_ if draw.chain == number}
        for sweep in range(1, 31):
            chain.sweep()
            assert lda.log_posterior_[number, sweep - 1] == chain.log_posterior()
            if sweep in kept:
                assert np.array_equal(kept[sweep].topics, chain.assignments())


def test_averages_are_over_the_draws():
    lda = make().fit(TRAIN)
    theta = np.mean([draw.doc_topic() for draw in lda.draws_], axis=0)
    phi = np.mean([draw.topic_word() for draw in lda.draws_], axis=0)
    assert lda.doc_topic_ == pytest.approx(theta, rel=1e-12)
    assert lda.components_ == pytest.approx(phi, rel=1e-12)
    mean = np.mean([draw.predictive(HELDOUT) for draw in lda.draws_], axis=0)
    assert lda.log_predictive(HELDOUT) == pytest.approx(np.log(mean), rel=1e-12)


def test_an_empty_document_keeps_its_row():
    lda = make(alpha=[0.1, 0.2, 0.7])
    with pytest.warns(UserWarning, match="1 of 12 documents is empty, in row 4") as said:
        lda.fit(WITH_EMPTY)
    assert len(said) == 1
    assert said[0].filename == __file__
    assert lda.doc_topic_[4] == pytest.approx([0.1, 0.2, 0.7])


def test_words_keep_their_names():
    names = [f"word {v}" for v in range(9)]
    for X in (pd.DataFrame(COUNTS, columns=names), blocklda.Corpus.from_matrix(COUNTS, names)):
        lda = make().fit(X)
        assert lda.feature_names_in_.tolist() == names
    lda.fit(COUNTS)
    assert not hasattr(lda, "feature_names_in_")


@pytest.mark.parametrize("n_chains", [1, 2])
def test_going_on_is_the_same_as_one_long_fit(n_chains):
    long = make(n_chains=n_chains, n_sweeps=40).fit(TRAIN)
    lda = make(n_chains=n_chains, n_sweeps=13, warm_start=True).fit(TRAIN)
    lda.set_params(n_sweeps=40).fit(TRAIN.toarray())
    assert_same_fit(lda, long)


def test_a_stopped_fit_goes_on_where_it_stopped():
    long = make(n_chains=3).fit(TRAIN)
    lda = make(n_chains=3, warm_start=True, callback=lambda draw: draw.chain == 1).fit(TRAIN)
    assert lda.n_sweeps_ == 6
    assert [chain.n_sweeps for chain in lda.chains_] == [6, 6, 6]
    assert [(draw.chain, draw.sweep) for draw in lda.draws_] == [(0, 6), (1, 6), (2, 6)]
    lda.set_params(callback=None).fit(TRAIN)
    assert_same_fit(lda, long)


def assert_same_fit(one, other):
    assert np.array_equal(one.doc_topic_, other.doc_topic_)
    assert np.array_equal(one.components_, other.components_)
    assert np.array_equal(one.log_posterior_, other.log_posterior_)
    assert np.array_equal(one.log_predictive(HELDOUT), other.log_predictive(HELDOUT))
    for ours, theirs in zip(one.draws_, other.draws_, strict=True):
        assert (ours.chain, ours.sweep) == (theirs.chain, theirs.sweep)
        assert np.array_equal(ours.topics, theirs.topics)


def test_without_a_warm_start_a_fit_starts_anew():
    lda = make()
    first = lda.fit(TRAIN).doc_topic_
    assert np.array_equal(lda.fit(TRAIN).doc_topic_, first)
    assert len(lda.draws_) == 9


def test_a_warm_start_wants_the_same_counts():
    lda = make(warm_start=True).fit(TRAIN)
    before = lda.doc_topic_
    with pytest.raises(InputError, match=r"^X \(12 documents.*pass the same X"):
        lda.set_params(n_sweeps=60).fit(COUNTS)
    assert lda.doc_topic_ is before
    lda.set_params(warm_start=False).fit(COUNTS)


@pytest.mark.parametrize(
    "changed",
    [{"n_topics": 4}, {"alpha": [1, 2, 3]}, {"n_chains": 2}, {"thin": 2}, {"random_state": 2}],
)
def test_a_warm_start_wants_the_same_parameters(changed):
    lda = make(warm_start=True).fit(TRAIN)
    (name,) = changed
    with pytest.raises(InputError, match=f"^{name}=.*set it back"):
        lda.set_params(n_sweeps=60, **changed).fit(TRAIN)


def test_a_warm_start_wants_more_sweeps():
    lda = make(warm_start=True).fit(TRAIN)
    before = lda.doc_topic_
    with pytest.warns(UserWarning, match="already done"):
        lda.fit(TRAIN)
    assert np.array_equal(lda.doc_topic_, before)
    with pytest.raises(InputError, match=r"n_sweeps=20 is less than the 30"):
        lda.set_params(n_sweeps=20).fit(TRAIN)


def test_the_callback_sees_every_kept_draw_and_may_stop():
    seen = []

    def stop_at_the_third(draw):
        seen.append(draw)
        return len(seen) == 3

    lda = make(callback=stop_at_the_third).fit(TRAIN)
    assert [draw.sweep for draw in seen] == [6, 9, 12]
    assert list(lda.draws_) == seen
    assert lda.n_sweeps_ == 12
    assert lda.log_posterior_.shape == (1, 12)
    assert lda.doc_topic_ == pytest.approx(np.mean([d.doc_topic() for d in seen], axis=0))


@pytest.mark.parametrize(
    ("answer", "n_sweeps"), [(True, 6), (np.True_, 6), (False, 30), (None, 30), (1, 30), ("no", 30)]
)
def test_only_true_stops_a_fit(answer, n_sweeps):
    lda = make(callback=lambda _: answer).fit(TRAIN)
    assert lda.n_sweeps_ == n_sweeps


@pytest.mark.parametrize("n_jobs", [None, -1, 2, 8])
def test_the_number_of_jobs_does_not_matter(n_jobs):
    assert_same_fit(make(n_chains=3, n_jobs=n_jobs).fit(TRAIN), make(n_chains=3).fit(TRAIN))


def test_scikit_learn_is_imported_only_for_the_estimator():
    script = "import sys, blocklda; print('sklearn' in sys.modules, 'LDA' in dir(blocklda))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
    with pytest.raises(AttributeError, match="no attribute 'LDa'"):
        _ = blocklda.LDa


def fail(draw):
    raise LookupError(f"at sweep {draw.sweep}")


def test_an_error_in_the_callback_leaves_no_half_fit():
    lda = make(callback=fail)
    with pytest.raises(LookupError, match="at sweep 6"):
        lda.fit(TRAIN)
    with pytest.raises(NotFittedError):
        lda.log_predictive(HELDOUT)


@pytest.mark.parametrize("warm_start", [True, False])
def test_an_error_in_the_callback_leaves_the_earlier_fit(warm_start):
    lda = make(warm_start=warm_start).fit(TRAIN)
    with pytest.raises(LookupError):
        lda.set_params(n_sweeps=60, callback=fail).fit(TRAIN)
    assert_same_fit(lda, make().fit(TRAIN))
    lda.set_params(callback=None).fit(TRAIN)
    assert_same_fit(lda, make(n_sweeps=60).fit(TRAIN))


def test_parameters_are_scikit_learns():
    lda = make(alpha=[0.1, 0.2, 0.3])
    assert clone(lda).get_params() == lda.get_params()
    assert lda.set_params(n_topics=2, alpha=0.5) is lda
    assert lda.fit(TRAIN).components_.shape == (2, 9)
    assert not hasattr(clone(lda), "components_")
    assert "n_topics=2" in repr(lda)
    assert blocklda.LDA(n_topics=-1).n_topics == -1, "parameters are checked by fit, not before"


def test_unfitted_models_say_so():
    with pytest.raises(NotFittedError):
        make().log_predictive(HELDOUT)
    with pytest.raises(AttributeError):
        _ = make().topic_word_


@pytest.mark.parametrize(
    "seed",
    [
        lambda: 5,
        lambda: np.int64(5),
        lambda: np.random.SeedSequence(5),
        lambda: np.random.default_rng(5),
        lambda: np.random.RandomState(5),  # scikit-learn's users have them
    ],
)
def test_the_same_random_state_gives_the_same_fit(seed):
    one, other = (make(random_state=seed()).fit(TRAIN) for _ in range(2))
    assert_same_fit(one, other)


def test_streams_differ():
    """Chains differ from each other, seeds from each other, and generators move on."""
    generator = np.random.default_rng(0)
    states = [None, None, 1, 2, generator, generator]
    fits = [make(random_state=state, n_chains=2).fit(TRAIN) for state in states]
    rows = [tuple(row) for fit in fits for row in fit.log_posterior_]
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_topics": 0}, "n_topics=0"),
        ({"n_topics": "ten"}, "n_topics='ten'"),
        ({"alpha": -1}, "alpha=-1.0"),
        ({"beta": 0}, "beta=0.0"),
        ({"sampler": "fast"}, "sampler='fast'"),
        ({"init": "warm"}, "init='warm'"),
        ({"n_sweeps": 0}, "n_sweeps=0"),
        ({"n_sweeps": 5, "burn_in": 4}, "n_sweeps=5 with burn_in=4 and thin=3 keeps no draw"),
        ({"burn_in": -1}, "burn_in=-1"),
        ({"burn_in": 2.0}, r"burn_in=2\.0"),
        ({"burn_in": "long"}, "burn_in='long'"),
        ({"n_topics": 500}, r"n_topics=500 is more than the \d+ tokens of X"),
        ({"keep_draws": 0}, "keep_draws=0"),
        ({"keep_draws": "some"}, "keep_draws='some'"),
        ({"progress": "yes"}, "progress='yes'"),
        ({"learn_alpha": "yes"}, "learn_alpha='yes'"),
        ({"learn_beta": "asymmetric"}, "learn_beta='asymmetric'"),
        ({"learn_how": "guess"}, "learn_how='guess'"),
        ({"alpha_prior": 1.0}, "alpha_prior=1.0"),
        ({"thin": 0}, "thin=0"),
        ({"n_chains": 0}, "n_chains=0"),
        ({"n_chains": True}, "n_chains=True"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"n_jobs": "all"}, "n_jobs='all'"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": 0.5}, r"random_state=0\.5"),
        ({"random_state": "seed"}, "random_state='seed'"),
        ({"warm_start": "yes"}, "warm_start='yes'"),
        ({"callback": 3}, "callback=3"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_value(wrong, said):
    lda = make(**wrong)
    with pytest.raises(InputError, match=said):
        lda.fit(TRAIN)
    assert not hasattr(lda, "components_")


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.zeros((3, 2), dtype=int), "all 3 documents of X are empty"),
        (np.array([[0.5, 1.0]]), "fractions"),
        (np.array([[-1, 1]]), "count -1"),
    ],
)
def test_wrong_data_are_refused(X, said):
    with pytest.raises(InputError, match=said):
        make().fit(X)


def test_heldout_words_must_be_of_the_same_documents():
    lda = make().fit(TRAIN)
    with pytest.raises(InputError, match="11 documents"):
        lda.log_predictive(HELDOUT[:11])
    with pytest.raises(InputError, match="no tokens"):
        lda.log_predictive(0 * HELDOUT)


def test_a_fit_too_large_for_memory_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**3)
    with pytest.raises(CapacityError, match="draws kept"):
        make(n_sweeps=10**9, keep_draws=10**8, callback=fail).fit(TRAIN)


@pytest.mark.realdata
@pytest.mark.parametrize("init", STARTS)
def test_the_mean_over_draws_predicts_better_than_one_state(data_dir, init):
    """KOS, K = 40: ten draws five sweeps apart take about a tenth off the perplexity of one."""
    corpus = blocklda.read_corpus(data_dir / "docword.kos.txt.gz")
    train, heldout = blocklda.split_tokens(corpus, range(3000, 3430), seed=0)
    lda = blocklda.LDA(
        40, sampler=SAMPLER, init=init, n_sweeps=110, burn_in=60, thin=5, random_state=1
    )
    lda.fit(train)
    averaged = perplexity(np.exp(lda.log_predictive(heldout)), heldout)
    one_state = perplexity(lda.draws_[-1].predictive(heldout), heldout)
    assert averaged < 0.92 * one_state
    assert 1_500 < averaged < 1_800


@pytest.mark.parametrize(("how", "is_sampled"), [("optimised", False), ("sampled", True)])
def test_only_sampled_priors_are_diagnosed(how, is_sampled):
    """Optimised ones stand still after the burn-in, in every chain where it found them."""
    lda = make(n_chains=2, learn_alpha="asymmetric", learn_beta="symmetric", learn_how=how)
    lda.fit(TRAIN)
    trace = lda.result_.trace
    assert ("alpha" in trace, "beta" in trace) == (is_sampled, is_sampled)
    assert any("alpha" in row.quantity for row in lda.diagnostics().table) is is_sampled
    assert lda.alpha_.shape == (3,)
    assert not np.allclose(lda.alpha_, 0.3)
    assert lda.beta_ != 0.2
