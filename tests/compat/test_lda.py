"""Code written for `lda` runs with one import changed, and its numbers mean the same."""

from __future__ import annotations

import inspect
import logging
import pickle

import lda as original
import lda._lda
import numpy as np
import pytest
import scipy.sparse

import blocklda
from blocklda.compat import lda as ours
from blocklda.compat.lda_formulas import log_likelihood
from tests.compat.reuters import reuters

TOY = np.array([[1, 1], [2, 1], [3, 1], [4, 1], [5, 8], [6, 1]])
MODULES = [original, ours]
each_module = pytest.mark.parametrize("module", MODULES, ids=["lda", "blocklda"])


@pytest.fixture(autouse=True)
def handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep `lda` from configuring the root logger, as it does while it has one handler."""
    monkeypatch.setattr(logging.getLogger("lda"), "handlers", [])


def original_log_likelihood(model: ours.LDA, alpha: float, eta: float) -> float:
    lengths = model.ndz_.sum(axis=1).astype(np.intc)
    return original._lda._loglikelihood(model.nzw_, model.ndz_, model.nz_, lengths, alpha, eta)


@each_module
def test_a_first_session(module) -> None:
    """What the documentation of `lda` shows: fit, look at words and documents, transform."""
    X, vocabulary = reuters()
    model = module.LDA(n_topics=20, n_iter=60, random_state=1)
    assert model.fit(X) is model
    assert model.topic_word_.shape == (20, 4258)
    assert model.topic_word_ is model.components_
    heads = []
    for distribution in model.topic_word_:
        best = np.array(vocabulary)[np.argsort(distribution)][: -(8 + 1) : -1]
        heads.append(" ".join(best))
    assert any("teresa" in head for head in heads)
    assert model.doc_topic_.shape == (395, 20)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1)
    assert 0 <= model.doc_topic_[0].argmax() < 20
    assert len(model.loglikelihoods_) == 6
    assert model.loglikelihoods_[0] < model.loglikelihoods_[-1]
    # Seeds 0 to 6 of both packages end between −679,100 and −675,000.
    assert model.loglikelihood() == pytest.approx(-677_000, rel=0.01)
    assert model.transform(X[:5]).shape == (5, 20)
    assert model.transform(X[0]).shape == (1, 20)
    assert model.transform(scipy.sparse.csr_matrix(X[:5])).shape == (5, 20)


def test_the_signatures_are_the_same() -> None:
    for name in ("__init__", "fit", "fit_transform", "transform", "loglikelihood"):
        theirs = inspect.signature(getattr(original.LDA, name)).parameters
        mine = inspect.signature(getattr(ours.LDA, name)).parameters
        assert list(mine) == list(theirs)
        assert [p.default for p in mine.values()] == [p.default for p in theirs.values()]


def test_attributes_have_the_same_shapes_types_and_orders() -> None:
    X = scipy.sparse.csr_matrix(TOY)
    theirs, mine = (module.LDA(3, n_iter=25, random_state=0).fit(X) for module in MODULES)
    for name in ("nzw_", "ndz_", "nz_", "components_", "topic_word_", "doc_topic_"):
        expected, found = getattr(theirs, name), getattr(mine, name)
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        assert found.flags.f_contiguous == expected.flags.f_contiguous
    assert isinstance(mine.loglikelihoods_, list)
    assert len(mine.loglikelihoods_) == len(theirs.loglikelihoods_) == 3


def test_the_estimates_are_those_of_the_last_state() -> None:
    model = ours.LDA(3, n_iter=7, alpha=0.3, eta=0.2, random_state=0).fit(TOY)
    np.testing.assert_array_equal(model.ndz_.sum(axis=1), TOY.sum(axis=1))
    np.testing.assert_array_equal(model.nzw_.sum(axis=0), TOY.sum(axis=0))
    np.testing.assert_array_equal(model.nzw_.sum(axis=1), model.nz_)
    theta = (model.ndz_ + 0.3) / (TOY.sum(axis=1) + 0.9)[:, None]
    phi = (model.nzw_ + 0.2) / (model.nz_ + 0.4)[:, None]
    np.testing.assert_allclose(model.doc_topic_, theta)
    np.testing.assert_allclose(model.components_, phi)


@pytest.mark.parametrize(("alpha", "eta"), [(0.1, 0.01), (2.5, 1.5), (1e-4, 1e-5)])
def test_the_log_likelihood_of_the_same_counts_is_the_same_number(alpha, eta) -> None:
    X, _ = reuters()
    X = np.vstack([X[:40], np.zeros_like(X[:1])])  # an empty document adds nothing
    model = ours.LDA(5, n_iter=3, alpha=alpha, eta=eta, random_state=0).fit(X)
    expected = original_log_likelihood(model, alpha, eta)
    # At 1e-5 `lda`'s own log Γ has ten right digits, where SciPy's has sixteen.
    assert model.loglikelihood() == pytest.approx(expected, rel=1e-9)


def test_log_likelihoods_are_written_down_before_every_refresh() -> None:
    """With the same seed a run of n sweeps is the beginning of a longer one."""
    long = ours.LDA(3, n_iter=10, random_state=4, refresh=3).fit(TOY)
    assert len(long.loglikelihoods_) == 4  # before sweeps 0, 3, 6 and 9
    for i, n_iter in enumerate([0, 3, 6, 9]):
        short = ours.LDA(3, n_iter=n_iter, random_state=4, refresh=3).fit(TOY)
        assert len(short.loglikelihoods_) == i
        assert short.loglikelihood() == pytest.approx(long.loglikelihoods_[i])


def test_transform_is_the_same_function_of_topics_and_counts() -> None:
    X, _ = reuters()
    mine = ours.LDA(6, n_iter=20, alpha=0.4, random_state=0).fit(X)
    theirs = original.LDA(6, n_iter=1, alpha=0.4, random_state=0).fit(X[:, :50])
    theirs.components_ = mine.components_
    for arguments in ({}, {"max_iter": 0}, {"max_iter": 3}, {"tol": 0.5}):
        expected = theirs.transform(X[:12], **arguments)
        np.testing.assert_allclose(mine.transform(X[:12], **arguments), expected, atol=1e-12)


def test_an_empty_document_gets_the_mean_of_the_prior() -> None:
    model = ours.LDA(4, n_iter=5, random_state=0).fit(np.vstack([TOY, [0, 0]]))
    np.testing.assert_allclose(model.doc_topic_[-1], 0.25)
    np.testing.assert_allclose(model.transform(np.array([0, 0])), 0.25)


def batch_mean(values: np.ndarray) -> tuple[float, float]:
    """Return the mean of a chain's values and its Monte Carlo error, from 30 batches."""
    means = np.array([batch.mean() for batch in np.array_split(values, 30)])
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means)))


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """Return how many Monte Carlo errors two means are apart."""
    (mean, error), (other, other_error) = batch_mean(first), batch_mean(second)
    return abs(mean - other) / np.hypot(error, other_error)


def test_both_packages_sample_the_same_law() -> None:
    settings = {"n_topics": 2, "alpha": 0.5, "eta": 0.5, "refresh": 1, "random_state": 3}
    theirs, mine = (
        np.array(module.LDA(n_iter=n_iter, **settings).fit(TOY).loglikelihoods_[200:])
        for module, n_iter in [(original, 2_200), (ours, 12_000)]
    )
    assert distance(theirs, mine) < 4
    assert distance(theirs, wrong_prior()) > 8


def wrong_prior() -> np.ndarray:
    """Log likelihoods of states that were drawn with another prior: the test must see that."""
    chain = blocklda.Chain(TOY, 2, alpha=5.0, beta=0.5, sampler="sparse", seed=0)
    values = []
    for _ in range(2_200):
        chain.sweep()
        n_kv, n_dk = chain.topic_word_counts(), chain.doc_topic_counts()
        values.append(log_likelihood(n_kv, n_dk, n_kv.sum(axis=1), 0.5, 0.5))
    return np.array(values[200:])


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"alpha": 0}, ValueError, "greater than zero"),
        ({"alpha": -3}, ValueError, "greater than zero"),
        ({"eta": -0.1}, ValueError, "greater than zero"),
        ({"alpha": "much"}, TypeError, "not a number"),
        ({"alpha": "0.1"}, TypeError, "alpha='0.1' is not a number"),
        ({"eta": True}, TypeError, "eta=True is not a number"),
        ({"eta": None}, TypeError, "not a number"),
        ({"alpha": float("nan")}, ValueError, "greater than zero"),
        ({"alpha": [0.1, 0.2]}, ValueError, r"blocklda\.LDA takes one alpha per topic"),
        ({"random_state": "now"}, ValueError, "random_state='now'"),
        ({"random_state": -1}, ValueError, "from 0 up"),
        ({"n_iter": 10.0}, ValueError, "n_iter=10.0"),
        ({"n_iter": -1}, ValueError, "from 0 up"),
        ({"refresh": 0}, ValueError, "refresh=0"),
        ({"n_topics": 0}, ValueError, "n_topics=0"),
    ],
)
def test_wrong_arguments_are_refused_by_name(change, error, words) -> None:
    with pytest.raises(error, match=words) as caught:
        ours.LDA(**{"n_topics": 2, **change})
    assert isinstance(caught.value, blocklda.InputError)


def test_what_is_set_later_is_checked_by_fit() -> None:
    model = ours.LDA(2)
    model.n_iter = "long"
    with pytest.raises(blocklda.InputError, match="n_iter='long'"):
        model.fit(TOY)
    assert not hasattr(model, "nzw_")


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (TOY + 0.5, "whole numbers"),
        (TOY - 2, "Negative"),
        (np.zeros((2, 2), dtype=int), "nothing to learn topics from"),
    ],
)
def test_what_is_no_count_is_refused(X, words) -> None:
    with pytest.raises(ValueError, match=words):
        ours.LDA(2, n_iter=1).fit(X)


def test_an_unfitted_model_says_so() -> None:
    # AttributeError is what `lda` raises.
    with pytest.raises(AttributeError, match=r"call fit\(X\) first"):
        ours.LDA(2).loglikelihood()
    with pytest.raises(AttributeError, match=r"call fit\(X\) first"):
        ours.LDA(2).transform(TOY)


def test_new_documents_must_have_the_same_words() -> None:
    model = ours.LDA(2, n_iter=1, random_state=0).fit(TOY)
    with pytest.raises(blocklda.InputError, match=r"X has 3 words .* had 2"):
        model.transform(np.ones((1, 3), dtype=int))
    with pytest.raises(blocklda.InputError, match="max_iter=-1"):
        model.transform(TOY, max_iter=-1)


def test_seeds() -> None:
    def counts(random_state: object) -> np.ndarray:
        return ours.LDA(3, n_iter=5, random_state=random_state).fit(TOY).nzw_

    np.testing.assert_array_equal(counts(7), counts(7))
    np.testing.assert_array_equal(counts(np.int64(7)), counts(7))
    generator = np.random.RandomState(7)
    moved_on = [counts(generator) for _ in range(4)]
    assert any((moved_on[0] != other).any() for other in moved_on[1:])
    np.testing.assert_array_equal(moved_on[0], counts(np.random.RandomState(7)))


def test_without_a_seed_numpys_global_generator_is_used() -> None:
    state = np.random.get_state()  # noqa: NPY002
    try:
        found = []
        for _ in range(2):
            np.random.seed(11)  # noqa: NPY002
            found.append([ours.LDA(3, n_iter=5).fit(TOY).nzw_ for _ in range(4)])
    finally:
        np.random.set_state(state)  # noqa: NPY002
    np.testing.assert_array_equal(found[0], found[1])
    assert any((found[0][0] != other).any() for other in found[0][1:])


def test_the_log_goes_to_a_logger_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    root = list(logging.getLogger().handlers)
    with caplog.at_level(logging.INFO, logger="blocklda.compat.lda"):
        ours.LDA(2, n_iter=20, random_state=0).fit(np.array([[3, 1, 0], [0, 0, 0]]))
    assert logging.getLogger().handlers == root
    assert {record.name for record in caplog.records} == {"blocklda.compat.lda"}
    text = caplog.text
    assert "n_words: 4" in text
    assert all(f"<{sweep}> log likelihood: -" in text for sweep in (0, 10, 19))
    warned = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert len(warned) == 2
    assert "1 documents" in warned[0]
    assert "1 words" in warned[1]


def test_a_model_can_be_pickled_as_before() -> None:
    model = ours.LDA(2, n_iter=3, random_state=0).fit(TOY)
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert copy.loglikelihood() == model.loglikelihood()
