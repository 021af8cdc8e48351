"""Intervals hold the truth as often as they say, and topics' numbers change nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import blocklda
from benchmarks.recorded import Recorded, record
from blocklda.results.stability import align_chains
from blocklda.summaries.beta_mixtures import beta_mixture_interval
from blocklda.summaries.intervals import Estimate
from blocklda.summaries.topics import TopicSummary, topic_summaries
from blocklda.summaries.word_estimates import WordCounts
from blocklda.support.errors import InputError
from tests.results.traces import changed
from tests.summaries.models import simulated_run

INTERVAL = 0.8


def summarise(run: Recorded, **settings: object) -> tuple[TopicSummary, ...]:
    return topic_summaries(run.draws, run.trace, run.alignment, run.topic_word, **settings)


def is_inside(value: float, estimate: Estimate) -> bool:
    return estimate.low <= value <= estimate.high


def coverages(seed: int) -> tuple[float, float, float]:
    """Return how often intervals hold the truth: of words, of sizes, and of words if done wrongly.

    The truth is one more draw from the posterior; see :func:`simulated_run`.
    """
    phi, truth, run = simulated_run(seed)
    topics = summarise(run, n_words=3, interval=INTERVAL)
    sizes = np.bincount(truth, minlength=len(phi)) / len(truth)
    words = [is_inside(phi[t.topic, w.column], w.probability) for t in topics for w in t.words]
    prevalence = [is_inside(sizes[t.topic], t.prevalence) for t in topics]
    # The mutant: quantiles of the means of φ given each draw, as if counts told φ exactly.
    means = np.array([draw.topic_word() for draw in run.draws])
    low, high = np.quantile(means, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2], axis=0)
    wrong = [
        low[t.topic, w.column] <= phi[t.topic, w.column] <= high[t.topic, w.column]
        for t in topics
        for w in t.words
    ]
    return float(np.mean(words)), float(np.mean(prevalence)), float(np.mean(wrong))


@pytest.mark.long
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    found = np.array([coverages(seed) for seed in range(40)])
    errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    words, sizes, wrong = (found.mean(axis=0) - INTERVAL) / errors
    assert abs(words) < 4
    assert abs(sizes) < 4
    assert wrong < -6  # p < 1e-8


def test_the_interval_of_a_mixture_is_that_of_its_draws() -> None:
    rng = np.random.default_rng(0)
    alphas = np.array([[3.0, 0.3, 900.0], [5.0, 0.01, 20.0]])
    betas = np.array([[9.0, 40.0, 100.0], [2.0, 5.0, 900.0]])
    n = 400_000
    laws = zip(alphas, betas, strict=True)
    draws = np.concatenate([rng.beta(a, b, size=(n, 3)) for a, b in laws])
    slack = 2e-3 * draws.std(axis=0)  # what the solution may be off
    for end, level in zip(beta_mixture_interval(alphas, betas, 0.9), (0.05, 0.95), strict=True):
        error = 5 * np.sqrt(level * (1 - level) / (2 * n))
        low, high = np.quantile(draws, [level - error, level + error], axis=0)
        assert (low - slack < end).all()
        assert (end < high + slack).all()


BARS = blocklda.simulate.bars(n_docs=100, seed=1)


@pytest.fixture(scope="module")
def bars() -> Recorded:
    rng = np.random.default_rng(0)
    start = blocklda.simulate.draw_assignments(BARS.corpus, BARS.doc_topic, BARS.topics, rng)
    return record(
        [blocklda.Chain(BARS.corpus, 10, sampler="sparse", seed=s, init=start) for s in (1, 2)],
        60,
        burn_in=20,
    )


def test_the_bars_are_what_they_are(bars: Recorded) -> None:
    topics = summarise(bars, n_words=5)
    assert [topic.topic for topic in topics] == list(range(10))
    for topic in topics:
        bar = {f"r{topic.topic}c{i}" for i in range(5)}
        if topic.topic >= 5:
            bar = {f"r{i}c{topic.topic - 5}" for i in range(5)}
        assert {word.word for word in topic.words} == bar
        assert topic.is_stable is True
        assert 0 <= topic.distance < 0.1
        probabilities = [word.probability.mean for word in topic.words]
        assert probabilities == sorted(probabilities, reverse=True)
    assert sum(topic.prevalence.mean for topic in topics) == pytest.approx(1)


def test_means_are_those_of_the_posterior(bars: Recorded) -> None:
    for topic in summarise(bars, n_words=4):
        expected = [bars.topic_word[topic.topic, word.column] for word in topic.words]
        np.testing.assert_allclose([w.probability.mean for w in topic.words], expected, rtol=1e-12)


def test_renumbering_a_chain_changes_nothing(bars: Recorded) -> None:
    new_name = np.random.default_rng(5).permutation(10)
    draws = [
        replace(draw, topics=new_name[draw.topics].astype(np.uint8)) if draw.chain == 1 else draw
        for draw in bars.draws
    ]
    sizes, words = bars.trace.topic_sizes.copy(), list(bars.topic_words)
    sizes[1][:, new_name] = bars.trace.topic_sizes[1]
    words[1] = np.empty_like(words[1])
    words[1][new_name] = bars.topic_words[1]
    renamed = topic_summaries(
        draws, changed(bars.trace, topic_size=sizes), align_chains(words), bars.topic_word
    )
    assert renamed == summarise(bars)


def test_a_matrix_of_priors(bars: Recorded) -> None:
    beta = np.random.default_rng(0).gamma(2, 0.05, size=(10, BARS.corpus.n_words))
    rng = np.random.default_rng(0)
    start = blocklda.simulate.draw_assignments(BARS.corpus, BARS.doc_topic, BARS.topics, rng)
    run = record([blocklda.Chain(BARS.corpus, 10, beta=beta, init=start)], 5)
    for topic in summarise(run):
        assert topic.is_stable is None
        expected = [run.topic_word[topic.topic, word.column] for word in topic.words]
        np.testing.assert_allclose([w.probability.mean for w in topic.words], expected, rtol=1e-12)


@pytest.mark.parametrize("cells", [1, 25, 2**22])
def test_counts_of_a_few_words(bars: Recorded, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blocklda.summaries.word_estimates.CELLS_AT_ONCE", cells)
    rng = np.random.default_rng(0)
    words = np.array([rng.permutation(25)[:4] for _ in range(10)])
    partners = rng.permutation(10)
    draw = bars.draws[7]
    found = WordCounts.create(draw.corpus, words).of(draw.topics, partners, 10)
    table = draw.topic_word_counts()
    np.testing.assert_array_equal(found, table[partners[:, None], words])


def test_print_and_names(bars: Recorded) -> None:
    text = str(summarise(bars, n_words=2)[3])
    first, *words = text.splitlines()
    assert first.startswith("topic 3: ")
    assert first.endswith("), found in 2 of 2 chains")
    assert len(words) == 2
    nameless = blocklda.Corpus.from_matrix(BARS.corpus.to_matrix())
    run = record([blocklda.Chain(nameless, 2)], 2)
    topic = summarise(run)[0]
    assert [word.word for word in topic.words] == [str(word.column) for word in topic.words]


@pytest.mark.parametrize("interval", [0, 1, 1.5, float("nan"), "wide", None])
def test_a_wrong_interval_is_refused(bars: Recorded, interval: object) -> None:
    with pytest.raises(InputError, match=r"interval=.* is not allowed: give a number between 0"):
        summarise(bars, interval=interval)


def test_no_draws_are_refused(bars: Recorded) -> None:
    with pytest.raises(InputError, match="there are no draws to summarise"):
        topic_summaries([], bars.trace, bars.alignment, bars.topic_word)
