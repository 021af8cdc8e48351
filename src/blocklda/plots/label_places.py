"""Labels that would lie on top of each other are moved apart."""

from __future__ import annotations

import numpy as np

from blocklda.support.arrays import Floats

__all__ = ["moved_apart"]


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
