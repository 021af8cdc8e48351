"""Topics as circles in the plane: near if they share words, large if they have many tokens."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from blocklda.plots.style import (
    BAND,
    GRID,
    INK,
    LABEL_SIZE,
    NOTE,
    PANEL_INCHES,
    TEXT_SIZE,
    foreground,
    new_panel,
)
from blocklda.results.fixed_topics import topics_of
from blocklda.results.stability import stable_topics
from blocklda.summaries.intervals import check_interval
from blocklda.summaries.topic_map import TopicMap
from blocklda.summaries.topic_map import topic_map as places_of_topics
from blocklda.summaries.topics import topic_shares
from blocklda.support import defaults
from blocklda.support.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patheffects import AbstractPathEffect

    from blocklda.estimator.lda import LDA

__all__ = ["moved_apart", "topic_map"]

COVERED = 0.15
"""The share of the map that the circles would cover if none overlapped."""

LARGEST = 0.14
"""No circle has a radius above this share of the map's side: of few topics each is large."""

MARGIN = 0.03
"""Room around the circles, as a share of the map's side."""

MANY_TOPICS, SMALL_SIZE = 30, 6
"""With at least this many topics the map is larger and the numbers are smaller."""


def topic_map(lda: LDA, *, interval: float = defaults.INTERVAL, ax: Axes | None = None) -> Axes:
    """Draw the topics of a model as a map.

    Each topic is a numbered circle, at the position that :mod:`blocklda.summaries.topic_map`
    computes; its area is its share of all tokens. The band around its edge is the interval of that
    share. With several chains, small dots show the topic in each chain, connected with the mean
    of all; a dashed edge marks a topic that was not found in every chain.

    Parameters
    ----------
    lda
        A fitted model.
    interval
        Probability of the intervals of the shares.
    ax
        Axes to draw on; by default a new figure is created (``ax.figure`` of the result).

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_chains=2, n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> axes = plots.topic_map(lda)
    """
    model = topics_of(lda)
    check_interval(interval)
    places = places_of_topics(model)
    shares = np.array([(s.low, s.mean, s.high) for s in topic_shares(model, interval)])
    stable = stable_topics(model.alignment.distances)
    # A map of many topics is as wide as a page.
    side = PANEL_INCHES[0] * (2 if model.n_topics > MANY_TOPICS else 1)
    ax = new_panel(ax, (side, side))
    radii = np.sqrt(shares) * _scale(shares[:, 1], _side(places))
    # Large circles first, so that no small one is hidden.
    for k in np.argsort(-shares[:, 1], kind="stable").tolist():
        is_stable = stable is None or bool(stable[k])
        _draw_circle(ax, k, places.positions[k], radii[k], is_stable=is_stable)
    if model.n_chains > 1:
        _draw_partners(ax, places)
    _frame(ax, places, radii)
    _draw_numbers(ax, places.positions, radii[:, 1])
    return ax


def _side(places: TopicMap) -> float:
    """Return the side of a square that holds all places; 1 if all lie in one."""
    points = np.concatenate([places.positions[None], places.chain_positions]).reshape(-1, 2)
    return float(np.ptp(points[np.isfinite(points[:, 0])], axis=0).max()) or 1.0


def _scale(shares: Floats, side: float) -> float:
    """Return by what roots of shares are multiplied to be radii."""
    return side * min(math.sqrt(COVERED / math.pi), LARGEST / math.sqrt(shares.max()))


def _draw_circle(ax: Axes, topic: int, place: Floats, radii: Floats, *, is_stable: bool) -> None:
    """Draw a circle with the band of its interval."""
    from matplotlib.patches import Annulus, Circle  # noqa: PLC0415

    middle: tuple[float, float] = (float(place[0]), float(place[1]))
    low, mean, high = radii.tolist()
    ax.add_patch(Circle(middle, mean, fc=BAND, alpha=0.5, lw=0))
    if math.isfinite(low) and high > low:
        width = min(high - low, (1 - 1e-9) * high)  # some versions refuse one without a hole
        ax.add_patch(Annulus(middle, high, width, fc=INK, alpha=0.3, lw=0))
    dashes = "-" if is_stable else (0, (2.5, 1.5))
    edge = Circle(middle, mean, fill=False, ec=INK, lw=0.9, ls=dashes)
    edge.set_gid(f"topic {topic}")  # which it is, in an SVG
    ax.add_patch(edge)


def _draw_partners(ax: Axes, places: TopicMap) -> None:
    """Draw where single chains have the topics, joined to the means."""
    for k, middle in enumerate(places.positions):
        for place in places.chain_positions[:, k]:
            ax.plot(*zip(middle, place, strict=True), color=NOTE, lw=0.4, zorder=1.5)
    points = places.chain_positions.reshape(-1, 2).T
    ax.plot(*points, "o", color=foreground(ax), alpha=0.75, ms=1.8, mew=0, zorder=1.6)


def _frame(ax: Axes, places: TopicMap, radii: Floats) -> None:
    """Let the axes hold everything in a square, and say how much of the spread they show."""
    outer = np.where(np.isfinite(radii[:, 2]), radii[:, 2], radii[:, 1])[:, None]
    points = [places.positions - outer, places.positions + outer, *places.chain_positions]
    low, high = np.nanmin(np.concatenate(points), axis=0), np.nanmax(np.concatenate(points), axis=0)
    half = (0.5 + MARGIN) * float((high - low).max())
    x, y = (low + high) / 2
    ax.set(xlim=(x - half, x + half), ylim=(y - half, y + half), aspect="equal")
    ax.set(xticks=[], yticks=[])
    ax.set_xlabel(f"first axis, {places.shown[0]:.0%} of the variance", fontsize=LABEL_SIZE)
    ax.set_ylabel(f"second axis, {places.shown[1]:.0%}", fontsize=LABEL_SIZE)
    for spine in ax.spines.values():
        spine.set_color(GRID["color"])
        spine.set_alpha(0.5)


def _draw_numbers(ax: Axes, positions: Floats, radii: Floats) -> None:
    """Write the numbers of topics into their circles, or beside them where they would overlap."""
    size = SMALL_SIZE if len(positions) > MANY_TOPICS else TEXT_SIZE
    low, high = ax.get_xlim()
    point = (high - low) / (ax.get_window_extent().width * 72 / ax.figure.dpi)
    # A digit of the usual fonts is 0.64 as wide as the size says, and 0.75 as high.
    sizes = np.array([(0.64 * len(str(k)) + 0.2, 0.95) for k in range(len(positions))])
    for k, place in enumerate(moved_apart(positions, sizes * size * point)):
        x, y = place.tolist()
        if np.hypot(*(place - positions[k])) > radii[k]:
            ax.plot(*zip(positions[k], place, strict=True), color=INK, lw=0.4, zorder=1.7)
        label = ax.text(x, y, str(k), ha="center", va="center", fontsize=size, zorder=3)
        label.set_path_effects(_halo(ax))


def _halo(ax: Axes) -> list[AbstractPathEffect]:
    """Return what lets a number be read on lines."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415

    return [withStroke(linewidth=1.5, foreground=ax.get_facecolor())]


ROUNDS = 100
"""Labels are moved at most so often; where there is no room some still touch."""

OVERSHOOT = 0.1
"""They go further than to where they touch by this share of their size, or they would come ever
closer to that and never reach it."""


def moved_apart(places: Floats, sizes: Floats) -> Floats:
    """Return places near those given at which boxes of these sizes do not overlap, (labels, 2).

    Two boxes that overlap part along the axis on which they overlap less. Nothing is drawn at
    random: the same labels always end at the same places.
    """
    found = np.array(places, dtype=np.float64)
    n = len(found)
    reach = (sizes[:, None] + sizes[None]) / 2
    # Of two in the same place the first goes down and to the left.
    side = np.where(np.arange(n)[:, None] < np.arange(n), -1.0, 1.0)
    others = ~np.eye(n, dtype=bool)
    for _ in range(ROUNDS):
        apart = found[:, None] - found[None]
        overlaps = reach - np.abs(apart)
        touching = (overlaps > 0).all(axis=2) & others
        if not touching.any():
            break
        overlaps += OVERSHOOT * reach
        horizontal = overlaps[..., 0] < overlaps[..., 1]
        for axis, is_axis in enumerate((horizontal, ~horizontal)):
            signs = np.where(apart[..., axis] == 0, side, np.sign(apart[..., axis]))
            steps = np.where(touching & is_axis, signs * overlaps[..., axis] / 2, 0.0)
            found[:, axis] += steps.sum(axis=1) / np.maximum(1, (steps != 0).sum(axis=1))
    return found
