"""Circles lie where the map says, as large as the shares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.patches import Annulus, Circle

import blocklda
from blocklda import InputError, plots
from blocklda.plots.topic_map import moved_apart
from blocklda.results.result import result_of
from blocklda.summaries.topic_map import topic_map
from tests.plots.drawn import svg
from tests.summaries.models import small_lda


def circles(ax: object) -> dict[int, Circle]:
    edges = [p for p in ax.patches if isinstance(p, Circle) and p.get_gid()]
    return {int(edge.get_gid().split()[1]): edge for edge in edges}


def test_places_and_areas(lda: blocklda.LDA) -> None:
    ax = plots.topic_map(lda, interval=0.8)
    found = circles(ax)
    places = topic_map(result_of(lda))
    summaries = lda.topic_summaries(interval=0.8)
    assert sorted(found) == list(range(6))
    per_share = found[0].radius ** 2 / summaries[0].prevalence.mean
    for k, circle in found.items():
        np.testing.assert_allclose(circle.center, places.positions[k])
        share = summaries[k].prevalence
        assert circle.radius**2 == pytest.approx(per_share * share.mean)
        assert (circle.get_linestyle() == "-") is bool(lda.stable_topics_[k])
        (band,) = [
            p for p in ax.patches if isinstance(p, Annulus) and p.center == tuple(circle.center)
        ]
        assert band.a**2 == pytest.approx(per_share * share.high)
        assert (band.a - band.width) ** 2 == pytest.approx(per_share * share.low)
    order = [found[k].radius for k in found]
    assert order == sorted(order, reverse=True)
    assert sorted(text.get_text() for text in ax.texts) == list("012345")


def test_chains_are_joined_to_the_mean(lda: blocklda.LDA) -> None:
    ax = plots.topic_map(lda)
    places = topic_map(result_of(lda))
    (dots,) = [line for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(dots.get_xydata(), places.chain_positions.reshape(-1, 2))
    joints = [line.get_xydata() for line in ax.lines if line.get_marker() != "o"][:12]
    for k in range(6):
        for chain in range(2):
            expected = [places.positions[k], places.chain_positions[chain, k]]
            np.testing.assert_allclose(joints[2 * k + chain], expected)


def test_everything_is_inside_and_the_axes_say_what_they_show(lda: blocklda.LDA) -> None:
    ax = plots.topic_map(lda)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert right - left == pytest.approx(top - bottom)
    for circle in circles(ax).values():
        x, y = circle.center
        assert left < x - circle.radius < x + circle.radius < right
        assert bottom < y - circle.radius < y + circle.radius < top
    shown = topic_map(result_of(lda)).shown
    assert ax.get_xlabel() == f"first axis, {shown[0]:.0%} of the variance"
    assert ax.get_ylabel() == f"second axis, {shown[1]:.0%}"
    svg(ax)


def test_one_chain_has_no_dots_and_one_topic_a_place(one_topic: blocklda.LDA) -> None:
    ax = plots.topic_map(one_topic)
    assert len(ax.lines) == 0
    (circle,) = circles(ax).values()
    assert circle.get_linestyle() == "-"
    assert circle.radius > 0
    assert ax.get_xlabel() == "first axis, 0% of the variance"
    svg(ax)


def test_two_topics_and_no_draws() -> None:
    ax = plots.topic_map(small_lda(n_topics=2, keep_draws=False))
    assert len(circles(ax)) == 2
    svg(ax)


def test_an_interrupted_fit_has_no_intervals(lda: blocklda.LDA) -> None:
    model = result_of(lda)
    trace = model.trace
    none_kept = replace(
        trace,
        sweeps=trace.sweeps[:0],
        log_posterior=trace.log_posterior[:, :0],
        values={name: values[:, :0] for name, values in trace.values.items()},
    )
    means = (model.chain_means[0], None)
    interrupted = replace(model, trace=none_kept, draws=(), chain_means=means)
    ax = plots.topic_map(interrupted)
    assert len(circles(ax)) == 6
    assert not any(isinstance(patch, Annulus) for patch in ax.patches)
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()
    svg(ax)


def test_a_wrong_interval_is_named(lda: blocklda.LDA) -> None:
    with pytest.raises(InputError, match="interval=1 is not allowed"):
        plots.topic_map(lda, interval=1)


def test_labels_are_moved_apart_and_no_further() -> None:
    rng = np.random.default_rng(0)
    places = rng.random((60, 2))
    places[10:20] = 0.5
    sizes = np.tile([0.05, 0.03], (60, 1))
    found = moved_apart(places, sizes)
    overlaps = sizes[0] - np.abs(found[:, None] - found[None])
    overlapping = (overlaps > 0).all(axis=2) & ~np.eye(60, dtype=bool)
    assert not overlapping.any()
    assert np.abs(found - places).max() < 0.3
    np.testing.assert_array_equal(moved_apart(places, sizes), found)
    far = np.array([[0.0, 0.0], [1.0, 1.0]])
    np.testing.assert_array_equal(moved_apart(far, np.full((2, 2), 0.1)), far)
