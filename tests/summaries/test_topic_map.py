"""The map shows Hellinger distances as well as a plane can, the same one every time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from blocklda.models.lda.topic_means import TopicMeans
from blocklda.results.result import FitResult
from blocklda.results.stability import Alignment
from blocklda.summaries.topic_map import TopicMap, topic_map
from tests.summaries.models import renumbered


def mapped(model: FitResult, *chains: np.ndarray) -> TopicMap:
    """Map topics that are made up: the means of chains, the mean of all of them."""
    n_topics = len(chains[0])
    means = tuple(TopicMeans(2, np.zeros((1, n_topics)), 2 * chain) for chain in chains)
    order = np.tile(np.arange(n_topics), (len(chains), 1))
    alignment = Alignment(order, np.zeros(order.shape))
    made_up = replace(
        model, topic_word_mean=np.mean(chains, axis=0), chain_means=means, align=lambda: alignment
    )
    return topic_map(made_up)


def classical_scaling(phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all coordinates by the textbook: −½ J D² J of the distances, largest spread first."""
    squared = squareform(pdist(np.sqrt(phi))) ** 2
    centring = np.eye(len(phi)) - 1 / len(phi)
    values, vectors = np.linalg.eigh(-centring @ squared @ centring / 2)
    return vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0)), values[::-1]


def test_it_is_classical_scaling_of_hellinger_distances(model: FitResult) -> None:
    found = topic_map(model)
    expected, values = classical_scaling(model.topic_word)
    np.testing.assert_allclose(found.shown, values[:2] / values.sum(), rtol=1e-9)
    np.testing.assert_allclose(np.abs(found.positions), np.abs(expected[:, :2]), atol=1e-9)
    for axis in range(2):
        assert found.positions[np.abs(found.positions[:, axis]).argmax(), axis] > 0


def test_three_topics_keep_their_distances(model: FitResult) -> None:
    phi = np.random.default_rng(0).dirichlet(np.full(9, 0.3), size=3)
    found = mapped(model, phi)
    np.testing.assert_allclose(pdist(found.positions), pdist(np.sqrt(phi)), rtol=1e-9)
    assert found.shown.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.chain_positions[0], found.positions, atol=1e-9)


def test_chains_are_projected_on_the_same_axes(model: FitResult) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.dirichlet(np.full(9, 0.3), size=(2, 5))
    found = mapped(model, first, second)
    centre = np.sqrt((first + second) / 2)
    axes = np.linalg.lstsq(centre - centre.mean(axis=0), found.positions, rcond=None)[0]
    for chain, place in zip((first, second), found.chain_positions, strict=True):
        expected = (np.sqrt(chain) - centre.mean(axis=0)) @ axes
        np.testing.assert_allclose(place, expected, atol=1e-9)


@pytest.mark.parametrize("words_at_once", [1, 4, 4096])
def test_pieces_and_numbering_change_nothing(
    model: FitResult, words_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = topic_map(model)
    monkeypatch.setattr("blocklda.summaries.topic_map.WORDS_AT_ONCE", words_at_once)
    for other in (topic_map(model), topic_map(renumbered(model))):
        np.testing.assert_allclose(other.positions, expected.positions, atol=1e-9)
        np.testing.assert_allclose(other.chain_positions, expected.chain_positions, atol=1e-9)


def test_partners_stand_under_the_topics_number(model: FitResult) -> None:
    found = topic_map(model)
    apart = np.linalg.norm(found.chain_positions - found.positions, axis=2)
    stable = (model.alignment.distances < 0.1).all(axis=0)
    assert stable.any()
    assert apart[:, stable].max() < 0.1


def test_a_chain_without_draws_is_nowhere(model: FitResult) -> None:
    found = topic_map(replace(model, chain_means=(model.chain_means[0], None)))
    assert np.isnan(found.chain_positions[1]).all()
    assert np.isfinite(found.chain_positions[0]).all()


@pytest.mark.parametrize(
    "phi",
    [
        np.array([[0.2, 0.8]]),
        np.array([[1.0]]),
        np.array([[1.0], [1.0], [1.0]]),
        np.tile([0.1, 0.2, 0.7], (4, 1)),
    ],
    ids=["one topic", "one topic of one word", "one word", "equal topics"],
)
def test_where_there_is_no_spread_all_lie_in_the_middle(model: FitResult, phi: np.ndarray) -> None:
    found = mapped(model, phi, phi)
    np.testing.assert_array_equal(found.positions, np.zeros((len(phi), 2)))
    np.testing.assert_array_equal(found.shown, [0, 0])
    np.testing.assert_allclose(found.chain_positions, 0, atol=1e-12)


def test_two_topics_lie_on_a_line(model: FitResult) -> None:
    phi = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    found = mapped(model, phi)
    expected = [[np.sqrt(2) / 2, 0], [-np.sqrt(2) / 2, 0]]
    np.testing.assert_allclose(found.positions, expected, atol=1e-12)
    np.testing.assert_allclose(found.shown, [1, 0], atol=1e-12)
