"""DPMixture: scikit-learn's contract, clusterings, new documents, files and checkpoints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import estimator_checks_generator

import blocklda
from blocklda import FileFormatError, InputError

PHI = np.repeat(np.eye(3) * 0.85 + 0.05, 4, axis=1) / 4
TRUE = np.random.default_rng(1).integers(3, size=90)
PHI /= PHI.sum(axis=1, keepdims=True)
X = np.array([np.random.default_rng(d).multinomial(8, PHI[k]) for d, k in enumerate(TRUE)])
X[40:50] = X[40]

EXPECTED_FAILURES = ("check_estimator_sparse_array", "check_estimator_sparse_matrix")
"""They take everything with predict_proba for a classifier of the y they pass."""

CHECKS = [
    (estimator, check)
    for estimator, check in estimator_checks_generator(blocklda.DPMixture(n_sweeps=12))
    if check.func.__name__ not in ("check_array_api_input", *EXPECTED_FAILURES)
]


def make(**settings) -> blocklda.DPMixture:
    given = {"n_sweeps": 60, "burn_in": 20, "thin": 1, "random_state": 0, "progress": False}
    return blocklda.DPMixture(**(given | settings))


@pytest.fixture(scope="module")
def fitted() -> blocklda.DPMixture:
    return make(n_chains=2).fit(X)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("estimator", "check"), CHECKS, ids=[str(i) for i in range(len(CHECKS))])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_sparse_matrices_are_taken_although_scikit_learn_cannot_check_it(fitted):
    for form in (sparse.csr_matrix, sparse.coo_array):
        assert np.array_equal(make(n_chains=2).fit(form(X)).labels_, fitted.labels_)
        assert np.array_equal(fitted.predict_proba(form(X)), fitted.predict_proba(X))


def test_clusters_are_found(fitted):
    largest = fitted.labels_ < 3
    assert largest.mean() > 0.8
    for c in range(3):
        of_cluster = TRUE[(fitted.labels_ == c) & (np.arange(90) // 10 != 4)]
        assert np.bincount(of_cluster, minlength=3).max() >= 0.9 * len(of_cluster)


def test_attributes_fit_each_other(fitted):
    K = len(fitted.components_)
    assert fitted.n_components_ == K == len(fitted.persistence_)
    assert np.array_equal(np.bincount(fitted.labels_), fitted.component_sizes_)
    assert (np.diff(fitted.component_sizes_) <= 0).all()
    assert fitted.components_.sum(axis=1) == pytest.approx(np.ones(K))
    assert ((fitted.persistence_ > 0) & (fitted.persistence_ <= 1)).all()
    assert np.array_equal(make(n_chains=2).fit_predict(X), fitted.labels_)
    assert np.array_equal(make(n_chains=2, n_jobs=2).fit_predict(X), fitted.labels_)


def test_new_documents(fitted):
    found = fitted.predict_proba(X)
    assert found.shape == (90, len(fitted.components_) + 1)
    assert found.sum(axis=1) == pytest.approx(np.ones(90))
    assert found.min() >= 0
    predicted = fitted.predict(X)
    assert (predicted == fitted.labels_)[fitted.labels_ < 3].mean() > 0.9
    assert set(predicted) <= {-1, *range(len(fitted.components_))}
    odd = np.full((1, 12), 5)
    assert fitted.score(X) > fitted.score(odd)
    with pytest.raises(InputError, match="empty"):
        fitted.score(np.zeros((2, 12), dtype=int))


def test_similarity_is_a_share_of_the_draws(fitted):
    pairs = [[0, 1], [40, 41], [3, 3]]
    found = fitted.similarity(pairs)
    same = [[draw.labels[i] == draw.labels[j] for i, j in pairs] for draw in fitted.draws_]
    assert found.tolist() == np.mean(same, axis=0).tolist()
    assert found[2] == 1.0
    for wrong in ([[0, 90]], [[-1, 0]], [0, 1], [[0.5, 1]]):
        with pytest.raises(InputError, match="pairs"):
            fitted.similarity(wrong)


def test_a_finite_mixture():
    mixture = make(n_components=20, alpha=0.1).fit(X)
    assert mixture.components_.shape == (20, 12)
    assert mixture.n_components_ == (mixture.component_sizes_ > 0).sum() < 20
    assert mixture.predict_proba(X).shape == (90, 20)
    assert mixture.alpha_ == 0.1


def test_numbers_of_components_are_reported_with_their_uncertainty(fitted):
    found = {row.title: row for row in fitted.component_count_summary()}
    assert set(found) == {
        "components",
        "components with 95 % of documents",
        "components with 99 % of documents",
        "components above 1 %",
        "effective components",
    }
    for row in found.values():
        assert 1 <= row.low <= row.median <= row.high
    assert np.isfinite(found["components"].r_hat)
    labels = [row.quantity for row in fitted.diagnostics().label_invariant]
    assert labels[:2] == ["log posterior", "components"]


def test_a_saved_model_is_the_same(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = blocklda.DPMixture.load(tmp_path / "model")
    assert np.array_equal(loaded.labels_, fitted.labels_)
    assert np.array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    assert loaded.get_params() == fitted.get_params()
    with pytest.raises(FileFormatError, match="of kind 'mixture', but LDA reads 'lda'"):
        blocklda.LDA.load(tmp_path / "model")
    fitted.save(tmp_path / "small", draws=False)
    small = blocklda.DPMixture.load(tmp_path / "small")
    assert small.draws_ == ()
    assert len(small.labels_) == 90


def test_a_resumed_fit_ends_as_an_uninterrupted_one(tmp_path):
    whole = make(n_chains=2).fit(X)
    make(n_chains=2, callback=lambda draw: draw.sweep >= 36).fit(
        X, checkpoint=tmp_path / "run", every=10
    )
    resumed = make(n_chains=2).fit(X, checkpoint=tmp_path / "run", every=10)
    assert np.array_equal(resumed.log_posterior_, whole.log_posterior_)
    assert np.array_equal(resumed.labels_, whole.labels_)
    warm = make(n_chains=2, n_sweeps=40).fit(X)
    warm.set_params(warm_start=True, n_sweeps=60).fit(X)
    assert np.array_equal(warm.log_posterior_, whole.log_posterior_)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": "learned"}, "alpha='learned' is not allowed"),
        ({"n_components": 0}, "n_components=0"),
        ({"beta": "auto"}, "beta"),
        ({"init": "variational"}, "init"),
        ({"blocks": 3}, "blocks"),
        ({"n_sweeps": 10, "burn_in": 20}, "keeps no draw"),
    ],
)
def test_wrong_parameters_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        make(**settings).fit(X)
