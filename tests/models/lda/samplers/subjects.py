"""What the suites of samplers run: every sampler, and `grid` in the form that it seldom has here.

On corpora of a few tokens `grid` has dense cells, whatever the number of topics.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import blocklda
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.models.lda.samplers.registry import find_sampler

__all__ = ["GRID_ON_LISTS", "SUBJECTS", "find_subject"]

GRID_ON_LISTS = replace(
    GRID,
    name="grid on lists",
    native=partial(GRID.native, form="lists"),
    python=partial(GRID.python, form="lists"),
)

SUBJECTS: tuple[str, ...] = (*blocklda.SAMPLERS, GRID_ON_LISTS.name)


def find_subject(name: str) -> Sampler:
    """Return a sampler by its name, or the other form of `grid`."""
    return GRID_ON_LISTS if name == GRID_ON_LISTS.name else find_sampler(name)
