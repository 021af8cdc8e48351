"""What is reported comes from one chain."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import blocklda
from blocklda.support.errors import ConvergenceWarning

BARS = blocklda.simulate.bars(n_docs=80, seed=4).corpus


@pytest.fixture(scope="module")
def lda() -> blocklda.LDA:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return blocklda.LDA(
            10,
            n_chains=4,
            n_sweeps=180,
            keep_draws=32,
            random_state=3,
            init="random",
            progress=False,
        ).fit(BARS)


def test_the_reference_has_the_highest_log_posterior(lda: blocklda.LDA) -> None:
    means = lda.result_.trace.log_posterior.mean(axis=1)
    assert lda.result_.reference == int(means.argmax())


def test_estimates_are_means_over_its_draws(lda: blocklda.LDA) -> None:
    draws = lda.result_.reference_draws
    assert {draw.chain for draw in draws} == {lda.result_.reference}
    phi = np.mean([draw.topic_word() for draw in draws], axis=0)
    np.testing.assert_allclose(lda.components_, phi, rtol=1e-12)
    theta = np.mean([draw.doc_topic() for draw in draws], axis=0)
    np.testing.assert_allclose(lda.doc_topic_, theta, rtol=1e-12)


def test_learned_priors_are_those_of_the_same_topics(lda: blocklda.LDA) -> None:
    alphas = [draw.priors.alpha for draw in lda.result_.reference_draws]
    np.testing.assert_allclose(lda.alpha_, np.mean(alphas, axis=0), rtol=1e-12)


def test_partners_are_those_of_the_reference(lda: blocklda.LDA) -> None:
    alignment = lda.result_.alignment
    np.testing.assert_array_equal(alignment.order[alignment.reference], np.arange(10))
    np.testing.assert_array_equal(alignment.distances[alignment.reference], 0)
    for chain, means in enumerate(lda.result_.chain_means):
        partners = means.topic_word[alignment.order[chain]]
        distances = np.abs(partners - lda.components_).sum(axis=1) / 2
        np.testing.assert_allclose(alignment.distances[chain], distances, atol=1e-12)
    assert (alignment.n_found >= 1).all()
    others = np.delete(alignment.distances, alignment.reference, axis=0)
    np.testing.assert_array_equal(alignment.nearest, others.min(axis=0))


def test_new_documents_have_the_same_topics(lda: blocklda.LDA) -> None:
    # A long document made of one topic's words alone.
    k = int(np.argmax(lda.alpha_))
    counts = np.round(300 * lda.components_[k]).astype(int)[None]
    assert int(lda.transform(counts)[0].argmax()) == k


def test_more_chains_do_not_blur_topics(lda: blocklda.LDA) -> None:
    sharpness = [(means.topic_word**2).sum(axis=1).mean() for means in lda.result_.chain_means]
    shown = (lda.components_**2).sum(axis=1).mean()
    assert shown == pytest.approx(sharpness[lda.result_.reference])
