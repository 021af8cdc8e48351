"""Topics keep the priors that they were given, however chains number them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.topic_means import TopicMeans
from blocklda.results.alignment import match_topics

ALPHA = np.array([1.2, 1.2, 0.05, 0.05, 0.05, 0.4])
ALPHA_GROUPS = [[0, 1], [2, 3, 4], [5]]
BARS = blocklda.simulate.bars(n_docs=80, side=3, alpha=0.3, seed=4).corpus


def fitted(**settings: Any) -> blocklda.LDA:
    """Fit chains whose starts nothing relates to each other."""
    short = {"n_sweeps": 40, "burn_in": 20, "thin": 2, "n_chains": 3, "progress": False}
    common = {"beta": 0.05, "init": "random", "random_state": 2}
    return blocklda.LDA(6, **{**short, **common, **settings}).fit(BARS)


def free_order(lda: blocklda.LDA, chain: int) -> np.ndarray:
    """Return the order in which topics are closest, whatever their priors."""
    shown, other = (
        TopicMeans.of([draw for draw in lda.draws_ if draw.chain == number]).topic_word
        for number in (lda.result_.reference, chain)
    )
    return match_topics(other, shown)


def crosses(order: np.ndarray, groups: list[list[int]]) -> bool:
    return any(set(order[group]) != set(group) for group in groups)


@pytest.fixture(scope="module")
def with_alpha() -> blocklda.LDA:
    return fitted(alpha=ALPHA)


def test_topics_are_matched_within_groups_of_equal_alpha(with_alpha: blocklda.LDA) -> None:
    for chain in range(3):
        assert not crosses(with_alpha.result_.alignment.order[chain], ALPHA_GROUPS)
    free = [free_order(with_alpha, chain) for chain in range(3)]
    assert any(crosses(order, ALPHA_GROUPS) for order in free), "these fits would not show it"


def test_a_given_alpha_is_returned(with_alpha: blocklda.LDA) -> None:
    np.testing.assert_array_equal(with_alpha.alpha_, ALPHA)
    # A document without tokens has the prior's mean, topic by topic.
    empty = np.zeros((1, BARS.n_words), dtype=int)
    with pytest.warns(blocklda.DataWarning):
        found = with_alpha.transform(empty)
    np.testing.assert_allclose(found[0], ALPHA / ALPHA.sum(), rtol=1e-12)


def test_a_saved_model_has_the_same_alpha_and_partners(
    with_alpha: blocklda.LDA, tmp_path: Any
) -> None:
    with_alpha.save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.alpha_, ALPHA)
    np.testing.assert_array_equal(
        loaded.result_.alignment.order, with_alpha.result_.alignment.order
    )


def test_equal_alphas_and_rows_of_beta_tell_no_topics_apart() -> None:
    beta = np.tile(np.linspace(0.02, 0.1, BARS.n_words), (6, 1))
    lda = fitted(alpha=np.full(6, 0.3), beta=beta)
    np.testing.assert_array_equal(lda.result_.alignment.order[1], free_order(lda, 1))
    np.testing.assert_array_equal(lda.alpha_, np.full(6, 0.3))
    np.testing.assert_array_equal(lda.beta_, beta)


def test_rows_of_beta_and_alpha_both_tell_topics_apart() -> None:
    beta = np.full((6, BARS.n_words), 0.05)
    beta[[0, 2, 3], 4] = 0.5
    lda = fitted(alpha=ALPHA, beta=beta)
    for order in lda.result_.alignment.order:
        assert not crosses(order, [[0], [1], [2, 3], [4], [5]])
    np.testing.assert_array_equal(lda.alpha_, ALPHA)
    np.testing.assert_array_equal(lda.beta_, beta)


def test_seed_words_stay_with_their_topic() -> None:
    lda = fitted(alpha=0.3, seed_words={1: ["r0c0", "r0c1"], 4: ["r2c0"]})
    for order in lda.result_.alignment.order:
        assert not crosses(order, [[1], [4], [0, 2, 3, 5]])


@pytest.mark.parametrize("how", ["optimised", "sampled"])
def test_a_learned_alpha_tells_no_topics_apart(how: str) -> None:
    """What was given is where learning starts, and every topic soon has an α of its own."""
    lda = fitted(alpha=ALPHA, learn_alpha="asymmetric", learn_how=how)
    free = [free_order(lda, chain) for chain in range(3)]
    np.testing.assert_array_equal(lda.result_.alignment.order, free)
    assert any(crosses(order, ALPHA_GROUPS) for order in free), "these fits would not show it"
    assert not np.allclose(lda.alpha_, ALPHA, rtol=0.01)


def test_a_given_alpha_is_returned_beside_a_learned_beta() -> None:
    lda = fitted(alpha=ALPHA, learn_beta="symmetric", learn_how="sampled")
    np.testing.assert_array_equal(lda.alpha_, ALPHA)
    assert lda.beta_ != 0.05
    for order in lda.result_.alignment.order:
        assert not crosses(order, ALPHA_GROUPS)
