"""Draws and averages over them, against their definitions written out slowly."""

from __future__ import annotations

import math

import numpy as np
import pytest

import blocklda
from blocklda import InputError
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.memory import draw_bytes
from blocklda.models.lda.model import topic_groups
from blocklda.models.lda.topic_means import TopicMeans
from blocklda.results.alignment import match_topics
from blocklda.results.posterior import Posterior, log_predictive
from blocklda.run.schedule import Schedule
from tests.estimator.settings import HELDOUT, SAMPLER, TRAIN

ALPHA = np.array([0.2, 0.4, 0.6])
BETA = np.random.default_rng(5).uniform(0.1, 0.9, size=(3, 9))


def draws(n: int, seed: int = 0, chain: int = 0, beta: object = BETA) -> list:
    running = blocklda.Chain(TRAIN, 3, ALPHA, beta, sampler=SAMPLER, seed=seed)
    kept = []
    for _ in range(n):
        running.sweep()
        kept.append(running.draw(chain))
    return kept


def slow_predictive(draw, d: int, v: int) -> float:
    """Σ_k θ_dk φ_kv, with the counts taken token by token."""
    docs, words = draw.token_docs(), draw.token_words()
    beta = np.broadcast_to(draw.priors.beta.T, (3, TRAIN.shape[1]))
    total = 0.0
    for k in range(3):
        here = draw.topics == k
        theta = ((docs[here] == d).sum() + ALPHA[k]) / ((docs == d).sum() + ALPHA.sum())
        phi = ((words[here] == v).sum() + beta[k, v]) / (here.sum() + beta[k].sum())
        total += theta * phi
    return total


def test_a_draw_stays_as_it_is_while_the_chain_goes_on():
    chain = blocklda.Chain(TRAIN, 3, sampler=SAMPLER)
    chain.sweep(4)
    draw, before = chain.draw(2), chain.assignments()
    chain.sweep(5)
    assert (draw.chain, draw.sweep) == (2, 4)
    assert np.array_equal(draw.topics, before)
    assert not draw.topics.flags.writeable


@pytest.mark.parametrize(
    ("n_topics", "dtype"), [(1, "u1"), (256, "u1"), (257, "u2"), (65536, "u2"), (65537, "u4")]
)
def test_topics_take_the_smallest_type_that_holds_them(n_topics, dtype):
    assert topic_dtype(n_topics) == dtype
    last = np.full(int(TRAIN.sum()), n_topics - 1)
    draw = blocklda.Chain(TRAIN, n_topics, init=last).draw()
    assert draw.topics.dtype == dtype
    assert np.array_equal(draw.topics, last)
    assert draw.n_bytes == draw_bytes(draw.corpus.n_tokens, n_topics)


def test_counts_of_some_documents_are_rows_of_all():
    draw = draws(3)[-1]
    docs = np.array([1, 4, 5, 11])
    assert np.array_equal(draw.doc_topic_counts_of(docs), draw.doc_topic_counts()[docs])
    assert draw.doc_topic_counts_of(docs[:0]).shape == (0, 3)


@pytest.mark.parametrize("beta", [0.3, BETA])
def test_predictive_is_the_sum_over_topics(beta):
    draw = draws(3, beta=beta)[-1]
    expected = [slow_predictive(draw, d, v) for d, v in np.argwhere(HELDOUT.toarray())]
    assert draw.predictive(HELDOUT) == pytest.approx(expected, rel=1e-12)
    dense = draw.doc_topic() @ draw.topic_word()
    assert draw.predictive(HELDOUT) == pytest.approx(dense[HELDOUT.nonzero()], rel=1e-12)


def test_log_predictive_is_the_log_of_the_mean_over_draws():
    kept = draws(4)
    expected = [
        math.log(sum(slow_predictive(draw, d, v) for draw in kept) / 4)
        for d, v in np.argwhere(HELDOUT.toarray())
    ]
    assert log_predictive(kept, HELDOUT) == pytest.approx(expected, rel=1e-12)
    of_means = np.log(np.matmul(*means(kept)))[HELDOUT.nonzero()]
    assert not np.allclose(expected, of_means, rtol=1e-3)


def means(*chains: list) -> tuple[np.ndarray, np.ndarray]:
    posterior = Posterior([TopicMeans.of(kept) for kept in chains], [0.0] * len(chains))
    return posterior.doc_topic(), posterior.topic_word()


def test_means_of_one_chain_are_means_over_its_draws():
    kept = draws(5)
    doc_topic, topic_word = means(kept)
    assert doc_topic == pytest.approx(np.mean([d.doc_topic() for d in kept], axis=0), rel=1e-12)
    assert topic_word == pytest.approx(np.mean([d.topic_word() for d in kept], axis=0), rel=1e-12)


def test_means_are_those_of_the_chain_with_most_support():
    first, second = draws(6, seed=0), draws(3, seed=2, chain=1)
    chains = [TopicMeans.of(first), TopicMeans.of(second)]
    (theta_0, phi_0), (theta_1, phi_1) = means(first), means(second)
    order = match_topics(phi_1, phi_0)
    assert not np.array_equal(order, np.arange(3)), "this seed would not show a missing match"
    posterior = Posterior(chains, [2.0, 1.0])
    assert np.array_equal(posterior.topic_word(), phi_0)
    assert np.array_equal(posterior.doc_topic(), theta_0)
    assert np.array_equal(posterior.align().order, [np.arange(3), order])
    other = Posterior(chains, [1.0, 2.0])
    assert (posterior.reference, other.reference) == (0, 1)
    assert np.array_equal(other.topic_word(), phi_1)
    assert np.array_equal(other.doc_topic(), theta_1)
    assert np.array_equal(other.align().order, [match_topics(phi_0, phi_1), np.arange(3)])


def test_topics_with_priors_of_their_own_are_not_exchanged():
    first, second = draws(6, seed=0), draws(3, seed=2, chain=1)
    groups = topic_groups(first[0].priors)
    assert sorted(groups) == [0, 1, 2]
    chains = [TopicMeans.of(first), TopicMeans.of(second)]
    assert np.array_equal(Posterior(chains, [1, 0], groups).align().order[1], np.arange(3))
    priors = draws(1, beta=BETA[[0, 1, 0]])[0].priors
    assert len(set(topic_groups(priors))) == 3
    two = topic_groups(priors, with_alpha=False)
    assert two[0] == two[2] != two[1]
    assert Posterior(chains, [1, 0], two).align().order[1, 1] == 1
    priors = draws(1, beta=0.3)[0].priors
    assert topic_groups(priors, with_alpha=False) is None
    assert len(set(topic_groups(priors))) == 3


def test_a_copy_of_the_means_stays_as_it_is():
    kept = draws(4)
    running = TopicMeans.of(kept[:2])
    copied = running.copy()
    for draw in kept[2:]:
        copied.add(draw)
    assert (running.n_draws, copied.n_draws) == (2, 4)
    assert np.array_equal(Posterior([running], [0]).doc_topic(), means(kept[:2])[0])
    assert np.array_equal(Posterior([copied], [0]).doc_topic(), means(kept)[0])


def test_documents_have_a_mean_when_it_is_asked_for(monkeypatch):
    made = []
    theta = TopicMeans.doc_topic.fget
    monkeypatch.setattr(TopicMeans, "doc_topic", property(lambda own: made.append(1) or theta(own)))
    lda = blocklda.LDA(2, n_sweeps=6, burn_in=2, n_chains=2, progress=False, random_state=1)
    lda.fit(np.array([[3, 1, 0], [0, 2, 4]]))
    assert made == []
    assert lda.doc_topic_ is lda.doc_topic_
    assert made == [1]


def test_without_draws_there_is_no_mean():
    with pytest.raises(InputError, match="no draws"):
        Posterior([], [])
    with pytest.raises(InputError, match="no draws"):
        log_predictive([], HELDOUT)


@pytest.mark.parametrize(
    ("schedule", "kept"),
    [((10, 0, 1), [*range(1, 11)]), ((30, 20, 5), [25, 30]), ((29, 20, 5), [25]), ((3, 2, 1), [3])],
)
def test_sweeps_after_the_burn_in_are_thinned(schedule, kept):
    schedule = Schedule.create(*schedule)
    assert [s for s in range(1, schedule.n_sweeps + 1) if schedule.keeps(s)] == kept
    assert schedule.n_draws == len(kept)
    assert schedule.next_kept(0) == kept[0]
    assert [schedule.next_kept(s) for s in kept[:-1]] == kept[1:]
    assert schedule.next_kept(kept[0] - 1) == kept[0]
