"""Posterior predictive checks: uniform for data of the model, small for planted misfit."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

import blocklda
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.priors import Priors
from blocklda.summaries import word_checks
from tests.cli.commands import bars
from tests.mutants.word_checks import CHECK_MUTANTS

N_TOPICS, N_WORDS, N_DOCS, N_TOKENS, N_CORPORA = 3, 8, 25, 12, 50


@cache
def draws_of_the_model() -> list[Draw]:
    """Return topics and words drawn from the model together, as a posterior draw and its data are.

    That is what makes a check exact: no fit stands between the two.
    """
    found = []
    priors = Priors.create(N_TOPICS, N_WORDS, 0.5, 0.5)
    for seed in range(N_CORPORA):
        rng = np.random.default_rng(seed)
        phi = rng.dirichlet(np.full(N_WORDS, 0.5), N_TOPICS)
        theta = rng.dirichlet(np.full(N_TOPICS, 0.5), N_DOCS)
        docs = np.repeat(np.arange(N_DOCS), N_TOKENS)
        topics = np.array([rng.choice(N_TOPICS, p=theta[d]) for d in docs])
        words = np.array([rng.choice(N_WORDS, p=phi[k]) for k in topics])
        order = np.lexsort((topics, words, docs))  # tokens are grouped by entry of the corpus
        counts = np.zeros((N_DOCS, N_WORDS), dtype=int)
        np.add.at(counts, (docs, words), 1)
        corpus = blocklda.Corpus.from_matrix(counts)
        found.append(Draw(0, 1, topics[order].astype(np.uint8), corpus, priors))
    return found


def p_values(check: Any) -> np.ndarray:
    return np.array([check(draw, np.random.default_rng(9))[3] for draw in draws_of_the_model()])


def distance_to_uniform(values: np.ndarray) -> float:
    """Return the probability of being further from uniform, with the steps of 1/20 smoothed out."""
    jitter = np.random.default_rng(1).random(values.shape) / 20
    return float(stats.kstest((values - jitter).ravel(), "uniform").pvalue)


def check(draw: Draw, generator: np.random.Generator) -> Any:
    return word_checks.check_draw(draw, 19, generator)


def test_checks_are_calibrated_for_data_of_the_model() -> None:
    assert distance_to_uniform(p_values(check)) > 0.01


@pytest.mark.parametrize("mutant", CHECK_MUTANTS)
def test_wrong_shuffles_are_rejected(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    move = CHECK_MUTANTS[mutant]

    def wrong(draw: Draw, generator: np.random.Generator) -> Any:
        topics, docs = draw.topics.astype(int), draw.token_docs().astype(int)
        words = draw.token_words().astype(int)

        def sums(moved: np.ndarray) -> Any:
            cells = (topics * N_DOCS + docs) * N_WORDS + moved
            return word_checks.n_log_n(cells, N_DOCS * N_WORDS, N_TOPICS)

        shuffled = np.array([sums(move(topics, docs, words, generator)) for _ in range(19)])
        p = (1 + (shuffled >= sums(words) - 1e-9).sum(axis=0)) / 20
        return None, None, None, p

    assert distance_to_uniform(p_values(wrong)) < 1e-4


def test_planted_misfit_is_found() -> None:
    """Words that come in bursts: each document repeats its own choice of a topic's words."""
    rng = np.random.default_rng(0)
    rows = []
    for d in range(60):
        own = rng.choice(5, 2, replace=False) + 5 * (d % 2)
        rows.append(np.bincount(rng.choice(own, 20), minlength=10))
    bursty = blocklda.LDA(2, n_sweeps=60, random_state=0, progress=False).fit(np.array(rows))
    frame = bursty.posterior_predictive_check()
    assert (frame["p_value"] < 0.06).all()
    assert (frame["deviation"] > 10).all()
    plain = blocklda.LDA(10, n_sweeps=100, random_state=0, progress=False).fit(bars(100))
    assert plain.posterior_predictive_check()["deviation"].median() < 3
    assert list(frame.columns) == [
        *("topic", "label", "observed", "expected", "deviation", "p_value")
    ]


def test_the_measure_is_mutual_information() -> None:
    """Two documents with a word each share one topic: the word tells the document, ln 2."""
    corpus = blocklda.Corpus.from_matrix([[10, 0], [0, 10]])
    priors = Priors.create(1, 2, 0.1, 0.1)
    draw = Draw(0, 1, np.zeros(20, dtype=np.uint8), corpus, priors)
    observed, expected, deviation, p = check(draw, np.random.default_rng(0))
    assert observed[0] == pytest.approx(np.log(2))
    assert expected[0] < 0.2
    assert deviation[0] > 3
    assert p[0] == 1 / 20
