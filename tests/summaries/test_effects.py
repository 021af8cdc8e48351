"""Regressions of topic shares: what they contain, what they refuse, and what they are asked."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import blocklda
from blocklda import InputError, plots
from blocklda.results.alignment import match_topics
from tests.mutants.effects import EFFECT_MUTANTS
from tests.optional import need


@pytest.fixture(autouse=True)
def _formulas() -> None:
    need("formulaic")


N_TOPICS, N_DOCS, N_TOKENS, N_CORPORA = 3, 60, 40, 120
GROUP = np.arange(N_DOCS) % 2
TRUTH = np.array([-0.3, 0.0, 0.3])
"""How much larger the expected share of each topic is in the second group."""

INTERVAL = 0.9
ENOUGH, TOO_LITTLE = 0.84, 0.77
"""Of 360 intervals of 90 %, 0.86 contain the truth, since shares are drawn toward the prior, which
knows no groups: docs/how-to/groups-and-effects.md. Of those that leave out what the posterior does
not know, 0.68 and 0.73 do."""

OVERLAP = 0.2
"""The probability of another topic's word against one of its own. With more overlap shares are
drawn further toward the prior, and more intervals miss."""


def true_topics() -> np.ndarray:
    topics = np.full((N_TOPICS, 12), OVERLAP)
    for k in range(N_TOPICS):
        topics[k, 4 * k : 4 * k + 4] = 1
    return topics / topics.sum(axis=1, keepdims=True)


@cache
def fitted() -> list[tuple[blocklda.LDA, np.ndarray]]:
    """Return fits of corpora whose groups differ by TRUTH, each with the order of its topics."""
    found = []
    means = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    for seed in range(N_CORPORA):
        rng = np.random.default_rng(seed)
        shares = np.array([rng.dirichlet(3 * means[group]) for group in GROUP])
        counts = np.array([rng.multinomial(N_TOKENS, row @ true_topics()) for row in shares])
        lda = blocklda.LDA(
            N_TOPICS, n_sweeps=120, burn_in=40, thin=4, random_state=seed, progress=False
        ).fit(counts)
        found.append((lda, match_topics(lda.components_, true_topics())))
    return found


def contained(ends: Any) -> float:
    """Return how many of the true differences lie in the intervals of fits."""
    hits = []
    for lda, order in fitted():
        low, high = ends(lda)
        hits.append((low[1, order] <= TRUTH) & (high[1, order] >= TRUTH))
    return float(np.mean(hits))


def ends_of(lda: blocklda.LDA) -> tuple[np.ndarray, np.ndarray]:
    frame = lda.estimate_effect("~ group", pd.DataFrame({"group": GROUP})).to_frame()
    low, high = (frame[end].to_numpy().reshape(N_TOPICS, 2).T for end in ("low", "high"))
    return low, high


@pytest.mark.long
def test_intervals_contain_the_truth_as_often_as_they_say() -> None:
    assert contained(ends_of) >= ENOUGH


@pytest.mark.parametrize("mutant", EFFECT_MUTANTS)
def test_regressions_of_point_estimates_are_rejected(mutant: str) -> None:
    design = np.column_stack([np.ones(N_DOCS), GROUP])
    assert contained(lambda lda: EFFECT_MUTANTS[mutant](lda, design, INTERVAL)) <= TOO_LITTLE


@pytest.fixture(scope="module")
def lda() -> blocklda.LDA:
    return fitted()[0][0]


def test_without_disagreement_it_is_least_squares(lda: blocklda.LDA) -> None:
    """Coefficients are means over draws, and shares sum to one in every term but the intercept."""
    found = lda.estimate_effect("~ group", pd.DataFrame({"group": GROUP}))
    lengths = lda.result_.corpus.doc_lengths()[:, None]
    draws = [draw.doc_topic_counts() / lengths for draw in lda.result_.reference_draws]
    means = np.mean(draws, axis=0)
    difference = means[GROUP == 1].mean(axis=0) - means[GROUP == 0].mean(axis=0)
    np.testing.assert_allclose(found.coefficients[1], difference)
    np.testing.assert_allclose(found.coefficients.sum(axis=1), [1, 0], atol=1e-12)
    assert found.terms == ("Intercept", "group")
    assert (found.n_docs, found.n_draws) == (N_DOCS, len(draws))
    assert "EffectEstimate: ~ group" in repr(found)
    assert found._repr_html_().startswith("<table")


def test_splines_categories_and_predictions(lda: blocklda.LDA) -> None:
    data = pd.DataFrame({"year": np.linspace(1990, 2020, N_DOCS), "party": [*"ab"] * 30})
    found = lda.estimate_effect("~ party + bs(year, df=4)", data)
    lda.set_topic_labels({1: "war"})
    new = found.predict(pd.DataFrame({"party": ["a", "b"], "year": [2000.0, 2010.0]}))
    assert list(new["row"]) == [0] * 3 + [1] * 3
    np.testing.assert_allclose(new.groupby("row")["mean"].sum(), 1)
    assert (new["low"] < new["mean"]).all()
    assert (new["mean"] < new["high"]).all()
    assert list(lda.estimate_effect("~ party", data).to_frame()["label"])[2] == "war"
    for variable in ("year", "party"):
        ax = plots.effect(found, variable, [0, 2])
        assert ax.get_xlabel() == variable
    lda.set_topic_labels({1: ""})


def test_rows_with_missing_values_are_left_out(lda: blocklda.LDA) -> None:
    data = pd.DataFrame({"x": [np.nan, *range(1, N_DOCS)]}, index=range(100, 100 + N_DOCS))
    assert lda.estimate_effect("~ x", data).n_docs == N_DOCS - 1


@pytest.mark.parametrize(
    ("formula", "n_rows", "message"),
    [
        ("party", N_DOCS, "formula='party' is not a formula"),
        ("~ party", N_DOCS, "cannot be evaluated.*use the columns of data: 'x', 'twice'"),
        ("~ x + twice", N_DOCS, "depend on each other"),
        ("~ x", 3, "data has 3 rows, but there are 60 documents"),
        ("~ C(x)", N_DOCS, "has 60 terms for 60 documents"),
    ],
)
def test_what_cannot_be_regressed(
    lda: blocklda.LDA, formula: str, n_rows: int, message: str
) -> None:
    data = pd.DataFrame({"x": np.arange(n_rows), "twice": 2 * np.arange(n_rows)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(InputError, match=message):
            lda.estimate_effect(formula, data)
