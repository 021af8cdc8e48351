"""Standard errors against the spread that they stand for, simulated many times over."""

from __future__ import annotations

import numpy as np
import pytest

from blocklda.evaluate.search_scores import HeldoutScores

N_DOCS, N_CHAINS, REPEATS = 60, 4, 4_000


def draw_scores(rng: np.random.Generator) -> tuple[HeldoutScores, HeldoutScores]:
    """Two models on the same documents of different lengths: hard documents are hard for both.

    log p of a document is its length times a rate: the document's, the model's on the document,
    the chain's, and that of the chain on the document.
    """
    n_tokens = rng.integers(20, 200, size=N_DOCS)
    document = rng.normal(-7.0, 0.5, size=N_DOCS)
    models = []
    for level in (0.0, -0.05):
        rates = (
            document
            + level
            + rng.normal(0.0, 0.1, size=N_DOCS)
            + rng.normal(0.0, 0.02, size=(N_CHAINS, 1))
            + rng.normal(0.0, 0.05, size=(N_CHAINS, N_DOCS))
        )
        models.append(HeldoutScores(rates * n_tokens, n_tokens))
    return models[0], models[1]


@pytest.fixture(scope="module")
def repeated() -> list[tuple[HeldoutScores, HeldoutScores]]:
    rng = np.random.default_rng(12)
    return [draw_scores(rng) for _ in range(REPEATS)]


def root_mean_square(values: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


TOLERANCE = 0.06
"""A standard deviation of 4,000 values is known to 1 / √8000 = 1.1 %, the errors to less, and the
error of a ratio of sums of 60 documents is too small by a term of 1 / 60."""


def test_differences_spread_as_their_errors_say(repeated):
    differences = [one.less(other) for one, other in repeated]
    means = [difference.mean for difference in differences]
    # The documents' lengths are as random as everything else, so this is the whole spread.
    spread = np.std(means, ddof=1)
    assert np.mean(means) == pytest.approx(0.05, abs=4 * spread / np.sqrt(REPEATS))
    assert root_mean_square([d.se for d in differences]) == pytest.approx(spread, rel=TOLERANCE)
    covered = np.mean([abs(d.mean - 0.05) <= 2 * d.se for d in differences])
    assert 0.93 < covered < 0.97


@pytest.mark.parametrize("wrong", ["documents alone", "chains alone", "documents not paired"])
def test_wrong_errors_do_not(repeated, wrong):
    def error(one: HeldoutScores, other: HeldoutScores) -> float:
        if wrong == "documents not paired":
            return float(np.hypot(one.se_documents, other.se_documents))
        difference = one.less(other)
        return difference.se_documents if wrong == "documents alone" else difference.se_chains

    spread = np.std([one.less(other).mean for one, other in repeated], ddof=1)
    claimed = root_mean_square([error(one, other) for one, other in repeated])
    assert claimed != pytest.approx(spread, rel=2 * TOLERANCE)


def test_scores_spread_over_documents_as_their_errors_say(repeated):
    means = [one.per_token.mean for one, _ in repeated]
    both = [np.hypot(one.se_documents, one.per_token.se) for one, _ in repeated]
    assert root_mean_square(both) == pytest.approx(np.std(means, ddof=1), rel=TOLERANCE)


def test_the_error_over_documents_of_equal_length_is_that_of_a_mean():
    rng = np.random.default_rng(3)
    log_p = rng.normal(-70, 5, size=(1, 25))
    scores = HeldoutScores(log_p, np.full(25, 10))
    assert scores.se_documents == pytest.approx(np.std(log_p / 10, ddof=1) / 5)
    assert scores.per_token.mean == pytest.approx(log_p.mean() / 10)


def test_a_model_does_not_differ_from_itself():
    scores = draw_scores(np.random.default_rng(0))[0]
    difference = scores.less(scores)
    assert (difference.mean, difference.se) == (0.0, 0.0)
