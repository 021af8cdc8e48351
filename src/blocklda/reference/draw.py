"""Random draws shared by the samplers: one topic by inversion, and a shuffle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blocklda.errors import KernelError
from blocklda.priors import LANES, padded_length

__all__ = ["check_total", "draw_topic", "shuffle_tokens"]


SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


def check_total(total: float) -> float:
    """Return a sum of weights, which must be a positive number to draw from.

    Below the normal range a product of it with a uniform may round up to the sum itself.
    """
    if not SMALLEST_NORMAL <= total < np.inf:
        raise KernelError(f"the weights of a draw sum to {total}, which is no positive number")
    return float(total)


def draw_topic(weights: NDArray[np.float64], uniform: float) -> int:
    """Draw a topic with probability proportional to its weight, by inversion.

    The topics are laid out in rows of LANES, and the distribution function runs down one lane
    after another. The kernels add whole rows at a time this way.
    """
    rows = np.zeros(padded_length(len(weights)))
    rows[: len(weights)] = weights
    running = np.add.accumulate(rows.reshape(-1, LANES), axis=0)
    lane_ends = _lane_ends(running[-1])
    point = uniform * check_total(lane_ends[-1])
    lane = int(np.searchsorted(lane_ends, point, side="right"))
    rest = point - lane_ends[lane - 1] if lane > 0 else point
    column = running[:, lane]
    # Rounding may leave `rest` at the lane's total: it then belongs to the last topic with weight.
    last = np.searchsorted(column, column[-1], side="left")
    row = min(np.searchsorted(column, rest, side="right"), last)
    return int(row) * LANES + lane


def _lane_ends(lanes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the running sums of the lanes' weights, added in pairs as the kernels do."""
    ends = np.empty(LANES)
    ends[1::2] = np.add.accumulate(lanes[0::2] + lanes[1::2])
    ends[0] = lanes[0]
    ends[2::2] = ends[1:-1:2] + lanes[2::2]
    return ends


def shuffle_tokens(block: NDArray[np.int32], rng: np.random.Generator) -> None:
    """Put the tokens of a block in a uniformly random order (Fisher–Yates).

    Nothing is drawn when all tokens are alike: every order is then the same.
    """
    if (block == block[0]).all():
        return
    for i in range(len(block) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        block[i], block[j] = block[j], block[i]
