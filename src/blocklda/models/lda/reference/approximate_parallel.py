"""The approximate parallel sampler: `sparse` on a grid of cells, with stale totals n_k.

The cells of a step share no document and no word, so that n_dk and n_vk are right in all of them.
Each has its own copy of the totals: those at the beginning of the step and its own changes since.
What the other cells change at the same time it does not see, and so the stationary distribution
is not the posterior, though close to it. With one cell a step, or one cell in all, nothing is stale
and the distribution is exact.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from blocklda.models.lda.reference.sparse import SparseSweep
from blocklda.models.lda.samplers.grid.plan import Cell, cut_grid
from blocklda.models.lda.samplers.sparse.plan import (
    largest_part,
    one_by_one_shares,
    sequential_part,
)
from blocklda.models.lda.samplers.sweep_streams import CELLS, SweepKey, piece_stream, sweep_key
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["sweep", "sweep_grid"]


def sweep(state: State, options: SweepOptions, n_sweeps: int, size: int | None = None) -> int:
    """Update every block, ``n_sweeps`` times; return the number of draws.

    ``size`` is the number of groups on each axis, if it is not to be that of the corpus.
    """
    largest = largest_part(state.priors.n_topics, options.max_block)
    sweeps = SparseSweep(state, largest, sequential_part(options.max_block))
    grid = cut_grid(state.corpus, sweeps.by_word, size)
    shares = one_by_one_shares(state.priors.n_topics, state.random_start, state.n_sweeps, n_sweeps)
    for share in shares:
        sweep_grid(sweeps, grid.steps(), sweep_key(state.rng), float(share))
    return sweeps.steps


def sweep_grid(
    sweeps: SparseSweep, steps: Iterable[list[Cell]], key: SweepKey, one_by_one: float
) -> None:
    """Sweep the cells of every step as if at the same time."""
    n_k = sweeps.n_k
    for cells in steps:
        changes = np.zeros_like(n_k)
        for cell in cells:
            sweeps.n_k = n_k.copy()
            sweeps.rng = piece_stream(key, CELLS, cell.number)
            sweeps.run_cell(cell.rows, cell.minors, one_by_one)
            changes += sweeps.n_k - n_k
        n_k = n_k + changes
    sweeps.n_k = n_k
