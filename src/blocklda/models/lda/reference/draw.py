"""Random draws shared by the samplers: one topic by inversion, and a shuffle."""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.priors import LANES
from blocklda.support.arrays import Floats, Int32s
from blocklda.support.errors import KernelError

__all__ = [
    "COLUMNS",
    "check_total",
    "draw_token",
    "draw_topic",
    "is_positive_number",
    "lane_ends",
    "lanes_of",
    "shuffle_tokens",
    "sum_in_lanes",
    "topic_at",
]


COLUMNS = 16
"""The columns of topics of a token that is drawn in certified single precision: as many floats as
the widest vectors hold."""

SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


def check_total(total: float) -> float:
    """Return a sum of weights, which must be a positive number to draw from.

    Below the normal range a product of it with a uniform may round up to the sum itself.
    """
    if not is_positive_number(total):
        raise KernelError(f"the weights of a draw sum to {total}, which is not a positive number")
    return float(total)


def is_positive_number(x: float) -> bool:
    """Return True if a number is positive, normal and finite."""
    return bool(SMALLEST_NORMAL <= x < np.inf)


def lanes_of(weights: Floats, n_lanes: int = LANES) -> Floats:
    """Return the running sums of weights laid out in rows of lanes, each lane by itself."""
    rows = np.zeros(-(-len(weights) // n_lanes) * n_lanes)
    rows[: len(weights)] = weights
    return np.add.accumulate(rows.reshape(-1, n_lanes), axis=0)


def lane_ends(lanes: Floats) -> Floats:
    """Return the running sums of the lanes' weights, added in pairs as the kernels do."""
    ends = np.empty(len(lanes))
    ends[1::2] = np.add.accumulate(lanes[0::2] + lanes[1::2])
    ends[0] = lanes[0]
    ends[2::2] = ends[1:-1:2] + lanes[2::2]
    return ends


def sum_in_lanes(weights: Floats) -> float:
    """Return the sum of weights: lane by lane, then lanes four, two and one apart."""
    lanes = lanes_of(weights)[-1]
    four = lanes[:4] + lanes[4:]
    two = four[:2] + four[2:]
    return float(two[0] + two[1])


def draw_topic(weights: Floats, uniform: float) -> int:
    """Draw a topic with probability proportional to its weight, by inversion."""
    total = check_total(lane_ends(lanes_of(weights)[-1])[-1])
    return topic_at(weights, uniform * total)


def draw_token(weights: Floats, old: int, uniform: float) -> int:
    """Draw the topic of a token with probability proportional to its weight, by inversion.

    First comes the interval of the old topic, so that a token that stays is known to stay before
    anything is searched; then the others, in COLUMNS. The kernels decide in single precision where
    that is certain to give the same topic (docs/explanation/certified.md).
    """
    stays = float(weights[old])
    others = weights.copy()
    others[old] = 0.0
    total = check_total(stays + lane_ends(lanes_of(others, COLUMNS)[-1])[-1])
    point = uniform * total
    return old if point < stays else topic_at(others, point - stays, COLUMNS)


def topic_at(weights: Floats, point: float, n_lanes: int = LANES) -> int:
    """Return the topic at a point between 0 and the sum of the weights.

    The topics are laid out in rows of lanes, and the distribution function runs down one lane
    after another. The kernels add whole rows at a time this way. Rounding may leave a point at the
    end of all lanes, or of its lane: it then belongs to the last topic there that has a weight.
    """
    running = lanes_of(weights, n_lanes)
    ends = lane_ends(running[-1])
    lane = int(np.searchsorted(ends, point, side="right"))
    if lane == n_lanes:
        lane = int(np.flatnonzero(running[-1] > 0)[-1]) if (running[-1] > 0).any() else 0
    rest = point - ends[lane - 1] if lane > 0 else point
    column = running[:, lane]
    last = np.searchsorted(column, column[-1], side="left")
    row = min(np.searchsorted(column, rest, side="right"), last)
    return int(row) * n_lanes + lane


def shuffle_tokens(block: Int32s, rng: np.random.Generator) -> None:
    """Put the tokens of a block in a uniformly random order (Fisher–Yates).

    Nothing is drawn when all tokens are alike: every order is then the same.
    """
    if (block == block[0]).all():
        return
    for i in range(len(block) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        block[i], block[j] = block[j], block[i]
