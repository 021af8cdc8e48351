"""Simulated corpora follow the model they claim to come from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from blocklda import simulate
from blocklda.data.corpus import MAX_TOKENS, Corpus
from blocklda.models.lda.chain import Chain
from blocklda.support.errors import CapacityError, InputError

THETA = np.array([[0.7, 0.2, 0.1], [0.05, 0.05, 0.9], [0.0, 1.0, 0.0]])
PHI = np.array([[0.5, 0.3, 0.2, 0.0], [0.1, 0.1, 0.1, 0.7], [0.0, 0.25, 0.25, 0.5]])
LENGTHS = np.array([30_000, 20_000, 10_000])

# A correct draw fails once in 10,000 seeds; the wrong ones below are found beyond all doubt.
PLAUSIBLE = 1e-4
IMPOSSIBLE = 1e-12


def word_p_value(corpus: Corpus) -> float:
    """Return how plausible the words are if every document d has the law Σ_k θ_dk φ_k."""
    observed = corpus.to_matrix().toarray()
    expected = LENGTHS[:, None] * (THETA @ PHI)
    # Within a document the counts are bound by its length: one degree of freedom less each.
    statistic = ((observed - expected) ** 2 / expected).sum()
    return float(stats.chi2.sf(statistic, observed.size - len(observed)))


def test_words_follow_the_mixture_of_topics() -> None:
    corpus = simulate.draw_corpus(THETA, PHI, LENGTHS, np.random.default_rng(1))
    assert word_p_value(corpus) > PLAUSIBLE


@pytest.mark.parametrize(
    ("theta", "phi"),
    [
        pytest.param(THETA[::-1], PHI, id="documents swapped"),
        pytest.param(THETA[:, ::-1], PHI, id="topics swapped"),
        pytest.param(THETA, (PHI + 0.02) / 1.08, id="words smoothed"),
        pytest.param(0.95 * THETA + 0.05 / 3, PHI, id="documents smoothed"),
    ],
)
def test_the_wrong_mixture_is_rejected(theta: np.ndarray, phi: np.ndarray) -> None:
    corpus = simulate.draw_corpus(theta, phi, LENGTHS, np.random.default_rng(1))
    assert word_p_value(corpus) < IMPOSSIBLE


def dispersion_p_value(counts: np.ndarray, probability: float) -> float:
    """Return how plausible the spread of one word's counts over equal documents is."""
    length = 50
    variance = length * probability * (1 - probability)
    statistic = ((counts - length * probability) ** 2).sum() / variance
    upper = stats.chi2.sf(statistic, len(counts))
    return float(2 * min(upper, 1 - upper))


def test_documents_vary_as_independent_tokens_do() -> None:
    n_docs, (weights, *_) = 4000, THETA
    theta = np.tile(weights, (n_docs, 1))
    drawn = simulate.draw_corpus(theta, PHI, 50, np.random.default_rng(2)).to_matrix().toarray()
    for word, probability in enumerate(weights @ PHI):
        assert dispersion_p_value(drawn[:, word], probability) > PLAUSIBLE
        # Tokens drawn in pairs, and rounded expectations, have the right mean and wrong spread.
        paired = 2 * np.random.default_rng(3).binomial(25, probability, size=n_docs)
        rounded = np.full(n_docs, round(50 * probability))
        assert dispersion_p_value(paired, probability) < IMPOSSIBLE
        assert dispersion_p_value(rounded, probability) < IMPOSSIBLE


def test_portions_do_not_change_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = simulate.bars(n_docs=50, seed=3)
    topics = _assignments(whole)
    monkeypatch.setattr(simulate, "CELLS_PER_DRAW", 60)
    parts = simulate.bars(n_docs=50, seed=3)
    assert parts.corpus == whole.corpus
    np.testing.assert_array_equal(_assignments(parts), topics)


def test_documents_have_the_lengths_asked_for() -> None:
    rng = np.random.default_rng(0)
    corpus = simulate.draw_corpus(THETA, PHI, [7, 0, 1], rng, vocabulary=list("abcd"))
    assert corpus.doc_lengths().tolist() == [7, 0, 1]
    assert corpus.vocabulary == ("a", "b", "c", "d")
    assert simulate.draw_corpus(THETA, PHI, 4, rng).doc_lengths().tolist() == [4, 4, 4]


def test_bars_are_the_rows_and_columns_of_a_grid() -> None:
    truth = simulate.bars(n_docs=3, doc_length=8, side=3)
    assert truth.corpus.vocabulary == tuple(f"r{r}c{c}" for r in range(3) for c in range(3))
    assert truth.topics.shape == (6, 9)
    for i in range(3):
        row, column = np.zeros((3, 3)), np.zeros((3, 3))
        row[i], column[:, i] = 1 / 3, 1 / 3
        np.testing.assert_array_equal(truth.topics[i].reshape(3, 3), row)
        np.testing.assert_array_equal(truth.topics[3 + i].reshape(3, 3), column)


def test_bars_default_to_the_papers_corpus() -> None:
    truth = simulate.bars()
    assert (truth.corpus.n_docs, truth.corpus.n_words) == (2000, 25)
    assert (truth.corpus.doc_lengths() == 100).all()
    assert truth.topics.shape == (10, 25)
    assert truth.doc_topic.shape == (2000, 10)
    for array in (truth.topics, truth.doc_topic):
        assert not array.flags.writeable


def test_documents_of_bars_have_dirichlet_topics() -> None:
    # A share of a Dirichlet with the prior 0.1 for each of ten topics is Beta(0.1, 0.9).
    theta = simulate.bars(n_docs=5000, doc_length=1).doc_topic
    for share in theta.T:
        assert stats.kstest(share, stats.beta(0.1, 0.9).cdf).pvalue > PLAUSIBLE
        assert stats.kstest(share, stats.beta(0.15, 1.35).cdf).pvalue < IMPOSSIBLE


def test_the_seed_decides() -> None:
    first, again, other = (simulate.bars(n_docs=20, seed=seed) for seed in (1, 1, 2))
    assert first.corpus == again.corpus
    np.testing.assert_array_equal(first.doc_topic, again.doc_topic)
    assert first.corpus != other.corpus
    spawned = simulate.bars(n_docs=20, seed=np.random.SeedSequence(1))
    assert spawned.corpus == first.corpus


def topic_p_value(topics: np.ndarray, corpus: Corpus) -> float:
    """Return how plausible the topics are if P(z = k) ∝ θ_dk φ_kv for a token of word v."""
    statistic, freedom = 0.0, 0
    docs = np.repeat(np.arange(corpus.n_docs), np.diff(corpus.doc_offsets))
    tokens = np.repeat(np.arange(corpus.n_entries), corpus.counts)
    for entry, (d, v) in enumerate(zip(docs, corpus.word_ids, strict=True)):
        observed = np.bincount(topics[tokens == entry], minlength=3)
        expected = THETA[d] * PHI[:, v]
        expected *= corpus.counts[entry] / expected.sum()
        possible = expected > 0
        assert not observed[~possible].any()
        statistic += ((observed - expected)[possible] ** 2 / expected[possible]).sum()
        freedom += possible.sum() - 1
    return float(stats.chi2.sf(statistic, freedom))


def test_assignments_follow_the_true_model() -> None:
    corpus = simulate.draw_corpus(THETA, PHI, LENGTHS, np.random.default_rng(4))
    topics = simulate.draw_assignments(corpus, THETA, PHI, np.random.default_rng(5))
    assert topics.dtype == np.int32
    assert topic_p_value(topics, corpus) > PLAUSIBLE
    blind = simulate.draw_assignments(
        corpus,
        0.95 * THETA + 0.05 * (THETA > 0) / (THETA > 0).sum(axis=1)[:, None],
        PHI,
        np.random.default_rng(5),
    )
    assert topic_p_value(blind, corpus) < IMPOSSIBLE


def test_assignments_start_a_chain() -> None:
    truth = simulate.bars(n_docs=10)
    topics = _assignments(truth)
    chain = Chain(truth.corpus, 10, init=topics)
    np.testing.assert_array_equal(chain.assignments(), topics)
    # Every token lies on the bar of its topic.
    assert (chain.topic_word_counts()[truth.topics == 0] == 0).all()


def test_an_empty_corpus_has_no_assignments() -> None:
    corpus = Corpus.from_matrix(np.zeros((3, 4), dtype=int))
    assert simulate.draw_assignments(corpus, THETA, PHI, np.random.default_rng(0)).size == 0


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate.bars(n_docs=0), "n_docs=0"),
        (lambda: simulate.bars(doc_length=-1), "doc_length=-1"),
        (lambda: simulate.bars(side=1), "side=1"),
        (lambda: simulate.bars(alpha=0), "alpha=0"),
        (lambda: simulate.bars(seed=-1), "seed=-1"),
        (lambda: simulate.draw_corpus(THETA[:, :2], PHI, 5, RNG), "row 0 of theta sums to 0.9"),
        (lambda: simulate.draw_corpus(THETA, PHI[:2], 5, RNG), "3 topics .* phi 2"),
        (lambda: simulate.draw_corpus(THETA, -PHI, 5, RNG), r"phi\[0, 0\]=-0.5"),
        (lambda: simulate.draw_corpus(THETA, PHI * np.nan, 5, RNG), r"phi\[0, 0\]=nan"),
        (lambda: simulate.draw_corpus("abc", PHI, 5, RNG), "theta is a str"),
        (lambda: simulate.draw_corpus(THETA[0], PHI, 5, RNG), r"theta has the shape \(3,\)"),
        (lambda: simulate.draw_corpus(THETA, PHI, 5.0, RNG), "dtype float64"),
        (lambda: simulate.draw_corpus(THETA, PHI, [5, 5], RNG), r"shape \(2,\)"),
        (lambda: simulate.draw_corpus(THETA, PHI, [5, -5, 5], RNG), "holds -5"),
        (lambda: simulate.draw_assignments(simulate.bars(4).corpus, THETA, PHI, RNG), "4 and 25"),
    ],
)
def test_what_cannot_be_used_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_impossible_words_are_refused() -> None:
    corpus = Corpus.from_matrix([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])
    certain = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    with pytest.raises(InputError, match="document 1 has the word 0"):
        simulate.draw_assignments(corpus, certain, PHI, RNG)


def test_what_cannot_be_held_is_refused_before_it_is_drawn() -> None:
    with pytest.raises(CapacityError, match="simulate fewer documents"):
        simulate.bars(n_docs=10**15)
    with pytest.raises(CapacityError, match=str(MAX_TOKENS)):
        simulate.bars(n_docs=10, doc_length=MAX_TOKENS)
    with pytest.raises(CapacityError, match=str(MAX_TOKENS)):
        simulate.draw_corpus(THETA, PHI, [2**63 - 1] * 3, RNG)


def _assignments(truth: simulate.SimulatedCorpus) -> np.ndarray:
    rng = np.random.default_rng(7)
    return simulate.draw_assignments(truth.corpus, truth.doc_topic, truth.topics, rng)
