"""What the suites of samplers run: every sampler, and some in a form that they seldom have here.

On corpora of a few tokens `grid` has dense cells, whatever the number of topics, and with few
topics `partially-collapsed` draws tokens one by one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import blocklda
from blocklda.models.lda.samplers.base import Sampler, Sweep
from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.models.lda.samplers.partially_collapsed import documents
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.samplers.registry import find_sampler
from blocklda.models.lda.state import State, SweepOptions
from tests.mutants.parts import replaced

__all__ = [
    "GIVEN_PHI_ON_LISTS",
    "GRID_ON_LISTS",
    "OTHER_FORMS",
    "SUBJECTS",
    "find_subject",
    "on_lists",
]

GRID_ON_LISTS = replace(
    GRID,
    name="grid on lists",
    native=partial(GRID.native, form="lists"),
    python=partial(GRID.python, form="lists"),
)


def on_lists(sweep: Sweep) -> Sweep:
    """Return a sweep of `partially-collapsed` with blocks on lists, for any number of topics."""

    def swept(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with replaced(documents, DENSE_UP_TO=0):
            return sweep(state, options, n_sweeps)

    return swept


GIVEN_PHI_ON_LISTS = replace(
    PARTIALLY_COLLAPSED,
    name="partially-collapsed on lists",
    native=on_lists(PARTIALLY_COLLAPSED.native),
    python=on_lists(PARTIALLY_COLLAPSED.python),
)

OTHER_FORMS: dict[str, Sampler] = {
    sampler.name: sampler for sampler in (GRID_ON_LISTS, GIVEN_PHI_ON_LISTS)
}

SUBJECTS: tuple[str, ...] = (*blocklda.SAMPLERS, *OTHER_FORMS)


def find_subject(name: str) -> Sampler:
    """Return a sampler by its name, or another form of one."""
    return OTHER_FORMS.get(name) or find_sampler(name)
