"""Intervals of mixtures of Betas contain what they say: by the cdf, and by simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import betainc, betaincc

import blocklda
from blocklda.results.result import result_of
from blocklda.summaries.beta_mixtures import beta_mixture_interval
from blocklda.summaries.documents import document_mixtures
from blocklda.summaries.topics import topic_summaries
from tests.mutants.intervals import INTERVAL_MUTANTS
from tests.summaries.models import aligned_counts, simulated_run

Interval = Callable[..., tuple[np.ndarray, np.ndarray]]

SHAPES = np.array([0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100, 1e4, 1e6])
"""With these the doubles are dense enough for intervals of 90 and 99 %."""

EXTREME_SHAPES = np.array([1e-300, 1e-8, 1e-4, 1e-3, 3e-3, *SHAPES, 1e9, 1e10])
"""With larger ones SciPy's cdf is off by 1e-3."""


def pairs(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return every pair of shapes, as mixtures of one part."""
    alphas, betas = np.meshgrid(shapes, shapes)
    return alphas.reshape(1, -1), betas.reshape(1, -1)


def random_mixtures(shapes: np.ndarray, n_parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Return mixtures whose parts have little in common."""
    alphas, betas = np.random.default_rng(n_parts).choice(shapes, (2, n_parts, 2000))
    return alphas, betas


def counts_over_draws(prior: float) -> tuple[np.ndarray, np.ndarray]:
    """Return what draws say of θ: counts that vary a little, many of them 0, plus the prior."""
    rng = np.random.default_rng(7)
    lengths = rng.integers(1, 200, 500)
    counts = rng.binomial(lengths, rng.beta(0.2, 1, 500), (20, 500))
    alphas = counts + prior
    return alphas, lengths + 5 * prior - alphas


def tails(
    low: np.ndarray, high: np.ndarray, alphas: np.ndarray, betas: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities below and above the intervals."""
    # Of two shapes 1e-300 SciPy before 1.17 has no cdf; that of two shapes 1e-100 is the same.
    alphas, betas = np.maximum(alphas, 1e-100), np.maximum(betas, 1e-100)
    return betainc(alphas, betas, low).mean(axis=0), betaincc(alphas, betas, high).mean(axis=0)


def worst_content(interval: Interval, alphas: np.ndarray, betas: np.ndarray, share: float) -> float:
    """Return how far at most the content of intervals is from ``share``."""
    below, above = tails(*interval(alphas, betas, share), alphas, betas)
    return float(np.abs(1 - below - above - share).max())


CASES = {
    "betas": pairs(SHAPES),
    "two parts": random_mixtures(SHAPES, 2),
    "nine parts": random_mixtures(SHAPES, 9),
    "prior 0.01": counts_over_draws(0.01),
    "prior 0.1": counts_over_draws(0.1),
    "prior 1": counts_over_draws(1.0),
}


@pytest.mark.parametrize("share", [0.9, 0.99])
@pytest.mark.parametrize("case", CASES)
def test_intervals_contain_what_they_say(case: str, share: float) -> None:
    assert worst_content(beta_mixture_interval, *CASES[case], share) < 1e-3 * (1 - share)


@pytest.mark.parametrize("mutant", INTERVAL_MUTANTS)
def test_wrong_intervals_are_rejected(mutant: str) -> None:
    wrong = INTERVAL_MUTANTS[mutant]
    assert max(worst_content(wrong, *CASES[case], 0.9) for case in CASES) > 0.01


@pytest.mark.parametrize("case", CASES)
def test_tails_are_equal_unless_an_end_is_0_or_1(case: str) -> None:
    alphas, betas = CASES[case]
    low, high = beta_mixture_interval(alphas, betas, 0.8)
    below, above = tails(low, high, alphas, betas)
    inner = (low > 0) & (high < 1 - 1e-12)
    assert inner.mean() > 0.4
    np.testing.assert_allclose(below[inner], 0.1, rtol=1e-3)
    np.testing.assert_allclose(above[inner], 0.1, rtol=1e-3)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("n_parts", [1, 2, 5])
def test_more_than_asked_only_where_doubles_are_too_coarse(n_parts: int, share: float) -> None:
    """Of any shapes: intervals contain enough, and a double less at both ends would not."""
    alphas, betas = (
        pairs(EXTREME_SHAPES) if n_parts == 1 else random_mixtures(EXTREME_SHAPES, n_parts)
    )
    low, high = beta_mixture_interval(alphas, betas, share)
    slack = 1e-3 * min(share, 1 - share)
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()
    below, above = tails(low, high, alphas, betas)
    assert (1 - below - above > share - slack).all()
    smallest = np.finfo(np.float64).tiny
    inside = np.maximum(np.nextafter(low, 1), smallest), np.nextafter(high, 0)
    below, above = tails(*inside, alphas, betas)
    assert (1 - below - above < share + slack).all()


def test_a_known_interval() -> None:
    """Beta(0.1, 100.9), whose 5 % quantile lies below 1e-15."""
    low, high = beta_mixture_interval(np.array([[0.1]]), np.array([[100.9]]), 0.9)
    # To first order the cdf is x^0.1 / (0.1 B(0.1, 100.9)) here.
    assert low[0] == pytest.approx(5.904e-16, rel=1e-3)
    assert high[0] == pytest.approx(5.7617e-3, rel=1e-3)


def test_where_the_low_end_is_no_double_the_high_end_makes_up_for_it() -> None:
    alphas, betas = np.array([[1e-3]]), np.array([[1.0]])  # the cdf is x^0.001
    low, high = beta_mixture_interval(alphas, betas, 0.9)
    assert low[0] == 0
    assert high[0] == pytest.approx(0.9**1000, rel=0.2)
    mirrored_low, mirrored_high = beta_mixture_interval(betas, np.array([[0.05]]), 0.9)
    assert mirrored_high[0] == 1
    assert mirrored_low[0] == pytest.approx(1 - 0.9**20, rel=1e-3)


def test_intervals_of_documents_contain_what_they_say() -> None:
    """Bars, where most topics have no token in most documents."""
    corpus = blocklda.simulate.bars(n_docs=30, seed=3).corpus
    settings = {"alpha": 0.1, "beta": 0.01, "n_sweeps": 40, "burn_in": 20, "progress": False}
    model = result_of(blocklda.LDA(10, random_state=1, **settings).fit(corpus))
    found = document_mixtures(model, range(30), 0.9)
    alphas = np.array([table.sum(axis=1) for table in aligned_counts(model)]) + 0.1
    betas = corpus.doc_lengths()[:, None] + 10 * 0.1 - alphas
    below, above = tails(found.low, found.high, alphas, betas)
    np.testing.assert_allclose(1 - below - above, 0.9, atol=1e-4)
    low, high = INTERVAL_MUTANTS["close-in-standard-deviations"](alphas, betas, 0.9)
    below, above = tails(low, high, alphas, betas)
    assert (1 - below - above).mean() < 0.8


def word_coverages(seed: int) -> tuple[float, float]:
    """Return how often 90 % intervals of all words of all topics hold the truth, and wrong ones.

    The truth is one more draw from the posterior; see :func:`simulated_run`.
    """
    phi, _, run = simulated_run(seed)
    n_words = phi.shape[1]
    topics = topic_summaries(run.draws, run.trace, run.alignment, run.topic_word, n_words, 0.9)
    inside = [
        word.probability.low <= phi[topic.topic, word.column] <= word.probability.high
        for topic in topics
        for word in topic.words
    ]
    counts = np.array([draw.topic_word_counts() for draw in run.draws])
    alphas = counts + run.draws[0].priors.beta[0, 0]
    betas = alphas.sum(axis=2, keepdims=True) - alphas
    low, high = INTERVAL_MUTANTS["close-in-standard-deviations"](alphas, betas, 0.9)
    return float(np.mean(inside)), float(((low <= phi) & (phi <= high)).mean())


@pytest.mark.long
def test_intervals_of_words_hold_the_truth_as_often_as_they_say() -> None:
    found = np.array([word_coverages(seed) for seed in range(40)])
    right, wrong = found.mean(axis=0) - 0.9
    error, error_of_wrong = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert abs(right) < min(0.02, 4 * error)
    assert wrong < -6 * error_of_wrong
