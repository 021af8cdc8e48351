"""The estimator of an HDP: scikit-learn's contract, what a fit leaves, files, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import blocklda
from blocklda import simulate
from blocklda.models.hdp.sampler import KINDS, native_grid
from blocklda.models.hdp.summary import variation_of_information

CORPUS = simulate.bars(n_docs=40, seed=1).corpus
QUICK = {
    "n_sweeps": 24,
    "burn_in": 8,
    "thin": 2,
    "random_state": 1,
    "progress": False,
    "initial_topics": 12,
}


@pytest.fixture(scope="module")
def fitted() -> blocklda.HDP:
    return blocklda.HDP(n_chains=2, **QUICK).fit(CORPUS)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_contract():
    check_estimator(blocklda.HDP(n_sweeps=4, thin=1, initial_topics=5, progress=False))


def test_what_a_fit_leaves(fitted):
    n_topics = len(fitted.components_)
    assert fitted.n_topics_.shape == (2, 8)
    assert fitted.components_.sum(axis=1) == pytest.approx(np.ones(n_topics))
    assert fitted.topic_weights_.shape == (n_topics + 1,)
    assert fitted.topic_weights_.sum() == pytest.approx(1)
    assert fitted.doc_topic_.shape == (40, n_topics + 1)
    assert fitted.doc_topic_.sum(axis=1) == pytest.approx(np.ones(40))
    assert ((fitted.persistence_ > 0) & (fitted.persistence_ <= 1)).all()
    assert len(fitted.topic_ids_) == n_topics
    assert fitted.alpha0_ > 0
    assert fitted.gamma_ > 0
    assert fitted.beta_ == 0.1
    assert len(fitted.chains_) == 2
    assert len(fitted.get_feature_names_out()) == n_topics + 1
    assert fitted.log_posterior_.shape == (2, 24)


def test_the_last_chain_starts_with_few_topics():
    plan = blocklda.HDP(n_chains=3, **QUICK).plan(CORPUS)
    chains = [part.chain for part in plan.start().chains]
    assert chains[0].n_topics > 2
    assert chains[2].n_topics == 2


def test_topics_are_counted_in_several_senses(fitted):
    summary = fitted.topic_count_summary()
    low, median, high = summary["n_topics"].quantiles
    assert low <= median <= high
    assert summary["n_topics_95"].quantiles[1] <= summary["n_topics_99"].quantiles[1] <= median
    assert summary["effective_topics"].quantiles[1] <= median
    assert "not a property of the corpus" in str(summary)
    assert summary.to_dict()["n_topics"]["median"] == median


def test_probabilities_are_means_over_draws(fitted):
    everything = blocklda.Corpus.from_matrix(np.ones((40, 25), dtype=int))
    by_word = np.exp(fitted.log_predictive(everything)).reshape(40, 25)
    assert by_word.sum(axis=1) == pytest.approx(np.ones(40))


def test_new_documents(fitted):
    X = CORPUS.to_matrix()[:6]
    theta = fitted.transform(X)
    assert theta.shape == (6, len(fitted.components_) + 1)
    assert theta.sum(axis=1) == pytest.approx(np.ones(6))
    assert fitted.perplexity(X) == pytest.approx(np.exp(-fitted.score(X)))
    assert 1 < fitted.perplexity(X) < 25
    assert np.array_equal(theta, fitted.transform(X))


def test_files(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = blocklda.HDP.load(tmp_path / "model")
    for name in ("components_", "doc_topic_", "topic_weights_", "persistence_", "n_topics_"):
        assert np.array_equal(getattr(loaded, name), getattr(fitted, name))
    assert loaded.get_params()["alpha0"] == "sampled"
    with pytest.raises(blocklda.InputError):
        blocklda.LDA.load(tmp_path / "model")


def test_a_killed_fit_ends_as_it_would_have(tmp_path):
    whole = blocklda.HDP(**QUICK).fit(CORPUS)
    seen = []

    def stop(draw):
        seen.append(draw)
        return len(seen) == 3

    blocklda.HDP(callback=stop, **QUICK).fit(CORPUS, checkpoint=tmp_path / "run", every=3)
    resumed = blocklda.HDP(**QUICK).fit(CORPUS, checkpoint=tmp_path / "run", every=3)
    assert np.array_equal(whole.log_posterior_, resumed.log_posterior_)
    assert np.array_equal(whole.components_, resumed.components_)


def test_the_number_of_jobs_changes_nothing(fitted):
    other = blocklda.HDP(n_chains=2, n_jobs=2, **QUICK).fit(CORPUS)
    assert np.array_equal(other.doc_topic_, fitted.doc_topic_)


def test_jobs_that_no_chain_needs_are_threads_of_the_grid(monkeypatch):
    monkeypatch.setattr("blocklda.models.lda.samplers.grid.plan.TOKENS_PER_CELL", 100)
    seen = set()

    def watched(*arguments, n_threads):
        seen.add(n_threads)
        return native_grid(*arguments, n_threads=n_threads)

    monkeypatch.setitem(KINDS["grid"].blocks, "native", watched)
    one, two = (
        blocklda.HDP(sampler="grid", n_jobs=n_jobs, **QUICK).fit(CORPUS) for n_jobs in (1, 2)
    )
    assert seen == {1, 2}
    assert np.array_equal(one.doc_topic_, two.doc_topic_)
    assert np.array_equal(one.n_topics_, two.n_topics_)


def test_a_warm_start_continues():
    whole = blocklda.HDP(**QUICK).fit(CORPUS)
    parts = blocklda.HDP(**{**QUICK, "n_sweeps": 16}, warm_start=True).fit(CORPUS)
    parts.set_params(n_sweeps=24).fit(CORPUS)
    assert np.array_equal(whole.log_posterior_, parts.log_posterior_)


def test_diagnostics_and_arviz(fitted):
    pytest.importorskip("arviz")
    assert "topics" in str(fitted.diagnostics())
    posterior = fitted.to_arviz().posterior
    assert {"n_topics", "n_topics_95", "alpha0", "gamma", "log_posterior"} <= set(posterior)


def test_as_lda(fitted):
    lda = fitted.to_lda()
    assert lda.n_topics == len(fitted.components_)
    summary = fitted.result_.chain_means[fitted.result_.reference]
    draw = summary.representative
    assert lda.alpha_ == pytest.approx(draw.levels.alpha0 * draw.tau[:-1][summary.places(draw)[1]])
    near = np.abs(lda.components_ - fitted.components_).sum(axis=1) / 2
    assert np.median(near) < 0.2
    assert lda.transform(CORPUS.to_matrix()[:2]).shape == (2, lda.n_topics)


def test_learned_and_given_levels():
    fixed = blocklda.HDP(alpha0=2.0, gamma=0.5, **QUICK).fit(CORPUS)
    assert (fixed.alpha0_, fixed.gamma_) == (2.0, 0.5)
    learned = blocklda.HDP(learn_beta="sampled", table_moves=0, **QUICK).fit(CORPUS)
    assert learned.beta_ != 0.1


def test_variation_of_information():
    same = np.array([0, 0, 1, 1, 2])
    assert variation_of_information(same, np.array([5, 5, 3, 3, 0])) == pytest.approx(0)
    halves = np.array([0, 0, 1, 1])
    assert variation_of_information(halves, np.array([0, 1, 0, 1])) == pytest.approx(2 * np.log(2))


def test_a_prior_for_each_word(tmp_path):
    beta = 0.02 + 0.2 * np.arange(25) / 25
    settings = {**QUICK, "beta": beta, "n_chains": 2}
    whole = blocklda.HDP(**settings).fit(CORPUS)
    assert np.array_equal(whole.beta_, beta)
    blocklda.HDP(callback=lambda draw: draw.sweep > 12, **settings).fit(
        CORPUS, checkpoint=tmp_path / "run", every=3
    )
    resumed = blocklda.HDP(**settings).fit(CORPUS, checkpoint=tmp_path / "run", every=3)
    assert np.array_equal(whole.log_posterior_, resumed.log_posterior_)
    whole.save(tmp_path / "model")
    loaded = blocklda.HDP.load(tmp_path / "model")
    for name in ("components_", "doc_topic_", "beta_", "n_topics_"):
        assert np.array_equal(getattr(loaded, name), getattr(whole, name))
    X = CORPUS.to_matrix()[:3]
    assert np.array_equal(loaded.transform(X), whole.transform(X))
    assert loaded.transform(X).sum(axis=1) == pytest.approx(np.ones(3))
    everything = blocklda.Corpus.from_matrix(np.ones((40, 25), dtype=int))
    by_word = np.exp(loaded.log_predictive(everything)).reshape(40, 25)
    assert by_word.sum(axis=1) == pytest.approx(np.ones(40))
    lda = whole.to_lda()
    assert np.array_equal(lda.beta_, np.broadcast_to(beta, (lda.n_topics, 25)))
    assert "topics" in str(whole.diagnostics())
    assert "0.02 to 0.212" in whole.prior_facts()["prior of words in a topic, β"]
    with pytest.raises(blocklda.InputError, match="beta"):
        blocklda.HDP(**{**settings, "beta": 0.1}).fit(CORPUS, checkpoint=tmp_path / "run")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"beta": np.ones((5, 25))}, "one number"),
        ({"beta": np.ones(24)}, r"shape \(24,\)"),
        ({"beta": np.arange(1, 26), "learn_beta": "sampled"}, "give one number for beta"),
        ({"alpha0": "learned"}, "sampled"),
        ({"gamma": 0}, "gamma"),
        ({"learn_beta": "optimised"}, "sampled"),
        ({"alpha0_prior": 1.0}, "shape and rate"),
        ({"init": "annealed"}, "variational"),
        ({"table_moves": 2}, "table_moves"),
        ({"keep_draws": False}, "keep_draws"),
        ({"sampler": "nested"}, "sparse"),
        ({"n_sweeps": 0}, "n_sweeps"),
        ({"initial_topics": 0}, "initial_topics"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(settings, message):
    with pytest.raises(blocklda.InputError, match=message):
        blocklda.HDP(**{**QUICK, **settings}).fit(CORPUS)


def test_an_empty_corpus_is_refused():
    with pytest.raises(blocklda.InputError, match="empty"):
        blocklda.HDP(**QUICK).fit(np.zeros((3, 4), dtype=int))


@pytest.mark.parametrize("name", ["n_topics", "seed_words"])
def test_what_an_hdp_does_not_have(name):
    with pytest.raises(TypeError, match=name):
        blocklda.HDP(**{name: 5})
