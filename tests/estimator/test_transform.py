"""New documents through the estimator: which topics they are folded into, and what comes out."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import InputError
from blocklda.models.lda.new_documents.infer import (
    ChainTopics,
    completion_log_probability,
    infer_doc_topics,
)
from tests.estimator.settings import COUNTS, WITH_EMPTY, make


def reference_draws(lda: blocklda.LDA) -> list[np.ndarray]:
    return [draw.topic_word() for draw in lda.result_.reference_draws]


@pytest.mark.parametrize("n_chains", [1, 3])
def test_documents_are_folded_into_the_topics_of_draws(n_chains):
    lda = make(n_chains=n_chains, n_sweeps=21).fit(COUNTS)
    draws = reference_draws(lda)
    assert len(draws) == 6
    expected = infer_doc_topics(lda.result_.corpus, draws, lda.alpha_, n_sweeps=50)
    found = lda.transform(COUNTS, n_draws=6, n_sweeps=50)
    assert np.array_equal(found, expected)
    score = completion_log_probability(lda.result_.corpus, draws, lda.alpha_).mean_log_per_token
    if n_chains == 1:  # with several chains the score is a mean over all of them
        assert lda.score(COUNTS) == pytest.approx(score, rel=1e-12)
        assert lda.perplexity(COUNTS) == pytest.approx(np.exp(-score), rel=1e-12)


def test_draws_are_spread_over_the_reference_chain():
    lda = make(n_chains=3).fit(COUNTS)
    tables = lda.frozen_topics(3)
    assert len(tables) == 3
    # 9 draws of the chain: the middle one of each third.
    assert np.array_equal(tables[1], reference_draws(lda)[4])


def test_the_score_is_a_mean_over_all_chains():
    lda = make(n_chains=3, n_sweeps=21, learn_alpha="asymmetric", learn_how="sampled").fit(COUNTS)
    parts = lda.fitted_run().chains
    chains = ChainTopics(
        ([draw.topic_word() for draw in part.draws], np.mean(part.values["alpha"], axis=0))
        for part in parts
    )
    assert [len(sets) for sets, _ in chains] == [6, 6, 6]  # as many as a chain's share of 16
    corpus = lda.result_.corpus
    expected = completion_log_probability(corpus, chains, 1.0)
    assert lda.score(COUNTS) == pytest.approx(expected.mean_log_per_token, rel=1e-12)
    alone = [
        completion_log_probability(corpus, sets, alpha).mean_log_per_token for sets, alpha in chains
    ]
    assert lda.score(COUNTS) > min(alone)


def test_one_draw_means_the_mean():
    lda = make().fit(COUNTS)
    expected = infer_doc_topics(lda.result_.corpus, lda.components_, lda.alpha_, n_sweeps=12)
    assert np.array_equal(lda.transform(COUNTS, n_draws=1, n_sweeps=12), expected)
    without = make(keep_draws=False).fit(COUNTS)
    assert np.array_equal(without.transform(COUNTS, n_sweeps=12), expected)


def test_rows_do_not_depend_on_each_other_nor_on_threads():
    lda = make(n_chains=2).fit(COUNTS)
    whole = lda.transform(COUNTS)
    order = np.random.default_rng(0).permutation(len(COUNTS))
    assert np.array_equal(lda.transform(COUNTS[order]), whole[order])
    assert np.array_equal(lda.transform(COUNTS[3:4]), whole[3:4])
    assert np.array_equal(lda.set_params(n_jobs=3).transform(COUNTS), whole)
    assert np.array_equal(lda.fit_transform(COUNTS), whole)


def test_an_empty_document_has_the_prior_mean_and_one_warning():
    lda = make(alpha=[0.1, 0.2, 0.7]).fit(COUNTS)
    with pytest.warns(UserWarning, match="1 of 12 documents is empty, in row 4") as said:
        theta = lda.transform(WITH_EMPTY)
    assert len(said) == 1
    assert said[0].filename == __file__
    assert theta.shape == (12, 3)
    assert theta[4] == pytest.approx([0.1, 0.2, 0.7])
    others = np.arange(12) != 4
    assert np.array_equal(theta[others], lda.transform(WITH_EMPTY[others]))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_draws": 0}, "n_draws=0 is not allowed"),
        ({"n_draws": 2.0}, r"n_draws=2\.0 is not allowed"),
        ({"n_sweeps": 0}, "n_sweeps=0 is not allowed"),
    ],
)
def test_wrong_settings_are_named(settings, said):
    lda = make().fit(COUNTS)
    with pytest.raises(InputError, match=said):
        lda.transform(COUNTS, **settings)


def test_empty_documents_have_no_score():
    with pytest.raises(InputError, match="all 12 documents are empty"):
        make().fit(COUNTS).score(0 * COUNTS)


@pytest.mark.realdata
def test_training_documents_come_out_as_in_the_fit(data_dir):
    """KOS: the mean total variation between `transform` and `doc_topic_` is at most 0.05."""
    corpus = blocklda.read_corpus(data_dir / "docword.kos.txt.gz")
    lda = blocklda.LDA(40, alpha=0.1, beta=0.01, n_sweeps=200, burn_in=4, random_state=0)
    lda.fit(corpus)
    distances = np.abs(lda.transform(corpus) - lda.doc_topic_).sum(axis=1) / 2
    assert distances.mean() <= 0.05
    mean_only = np.abs(lda.transform(corpus, n_draws=1) - lda.doc_topic_).sum(axis=1) / 2
    assert mean_only.mean() > 0.05, "this would pass without draws"
