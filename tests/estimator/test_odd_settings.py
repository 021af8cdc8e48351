"""Settings that are odd or wrong: they work, or one sentence says why not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from blocklda import InputError
from tests.estimator.settings import COUNTS, WITH_EMPTY, make

OPTIMISED = {"learn_how": "optimised"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"init": object()}, r"init has the shape \(\)"),
        ({"init": [[1, 2], [3]]}, "init is not an array"),
        ({"init": np.array(["2020-01-01"], dtype="M8[D]")}, "init has the shape"),
        ({"random_state": object()}, "random_state="),
        ({"random_state": 1 + 2j}, "random_state="),
        ({"random_state": np.random.PCG64(3)}, "random_state="),
        (
            {"n_chains": 10**12},
            r"n_chains=10+ is not allowed: give a whole number from 1 to 65,536",
        ),
        ({"n_chains": 10**30}, "n_chains=10+ is not allowed"),
        (
            {"learn_alpha": "asymmetric", **OPTIMISED, "burn_in": 0},
            r"burn_in=0 leaves no sweep for learn_how",
        ),
        (
            {"learn_beta": True, **OPTIMISED, "burn_in": 1},
            r"burn_in=1 leaves no sweep for learn_how",
        ),
        (
            {"learn_beta": True, **OPTIMISED, "burn_in": "auto", "n_sweeps": 3, "thin": 1},
            "burn_in=1 leaves",
        ),
    ],
)
def test_what_is_wrong_is_said(settings, said):
    with pytest.raises(InputError, match=said):
        make(**settings).fit(COUNTS)


@pytest.mark.parametrize("n_docs", [1, 12])
@pytest.mark.parametrize("sampler", ["sparse", "sparse-single-site"])
def test_a_matrix_of_equal_priors_is_a_number(n_docs, sampler):
    """Whichever axis the sparse samplers would choose for a single number."""
    counts = np.random.default_rng(0).poisson(1.0, size=(n_docs, 9)) + 1
    for settings in ({"beta": np.full((3, 9), 0.2)}, {"seed_words": {}}):
        lda = make(**settings, sampler=sampler, init="random").fit(counts)
        assert np.isfinite(lda.log_posterior_).all()


def test_equal_priors_in_a_matrix_on_long_documents():
    counts = np.random.default_rng(4).poisson(0.7, size=(40, 15)) + np.eye(40, 15, dtype=int)
    for settings in ({"beta": np.full((4, 15), 0.01)}, {"beta": 0.01, "seed_words": {}}):
        lda = make(n_topics=4, alpha=0.1, **settings).fit(counts)
        assert lda.beta_ == pytest.approx(np.full((4, 15), 0.01))


@pytest.mark.parametrize("n_jobs", [-2, -100, 10**9])
def test_new_documents_count_jobs_as_fits_do(n_jobs):
    lda = make(n_jobs=n_jobs).fit(COUNTS)
    assert np.array_equal(lda.transform(COUNTS), make().fit(COUNTS).transform(COUNTS))


def test_a_vocabulary_of_one_word():
    lda = make(n_topics=2, beta=[[0.1], [5.0]], n_chains=2).fit(COUNTS[:, :1] + 1)
    assert np.array_equal(lda.beta_, [[0.1], [5.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summaries = lda.topic_summaries()
    for topic in summaries:
        (word,) = topic.words
        assert (word.probability.low, word.probability.high) == (1, 1)


def test_a_prior_that_rounding_loses_beside_the_counts():
    counts = np.array([[9, 0], [0, 9]])
    lda = make(n_topics=2, beta=1e-20, alpha=0.01).fit(counts)
    for topic in lda.topic_summaries():
        assert all(
            np.isfinite([word.probability.low, word.probability.high]).all() for word in topic.words
        )


def test_warnings_of_new_documents_point_to_the_caller():
    lda = make().fit(COUNTS)
    with pytest.warns(UserWarning, match="1 of 12 documents is empty") as said:
        lda.transform(WITH_EMPTY)
    assert said[0].filename == __file__
