"""`grid`, on lists: `sparse` on a grid of cells, exact: each group of words has totals and masses.

The masses of a step are drawn given the topics of all tokens (`word_masses.py`). Given them the
cells of a step share no document, no word and no total. With few topics cells go through all topics
of a token instead (`dense_grid.py`).
"""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.reference import dense_grid
from blocklda.models.lda.reference.sparse import SparseSweep
from blocklda.models.lda.samplers.grid.plan import (
    Form,
    Grid,
    choose_form,
    cut_grid,
    is_on_shards,
)
from blocklda.models.lda.samplers.grid.shards import cut_shards, require_shared_beta
from blocklda.models.lda.samplers.grid.word_masses import WordGroups
from blocklda.models.lda.samplers.sparse.plan import (
    largest_part,
    one_by_one_shares,
    sequential_part,
)
from blocklda.models.lda.samplers.sweep_streams import (
    CELLS,
    MASSES,
    SweepKey,
    piece_stream,
    sweep_key,
)
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["sweep", "sweep_grid"]


def sweep(
    state: State,
    options: SweepOptions,
    n_sweeps: int,
    size: int | None = None,
    form: Form | None = None,
) -> int:
    """Update every token, ``n_sweeps`` times; return the number of draws.

    ``size`` is the number of groups on each axis, if it is not to be that of the corpus, and
    ``form`` whether cells are dense or on lists, if that is not to be chosen.
    """
    if choose_form(state.corpus, state.priors.n_topics, options, size, form) == "dense":
        return dense_grid.sweep(state, n_sweeps, size)
    largest = largest_part(state.priors.n_topics, options.max_block)
    on_shards = is_on_shards(options, size)
    by_word = False if on_shards else None
    sweeps = SparseSweep(state, largest, sequential_part(options.max_block), by_word)
    if on_shards:
        require_shared_beta(state.priors)
        grid = cut_shards(state.corpus, options.shards)
    else:
        grid = cut_grid(state.corpus, sweeps.by_word, size)
    words = WordGroups(grid.word_groups, state.priors, once=on_shards)
    shares = one_by_one_shares(state.priors.n_topics, state.random_start, state.n_sweeps, n_sweeps)
    for share in shares:
        sweep_grid(sweeps, grid, words, sweep_key(state.rng), float(share))
    return sweeps.steps


def sweep_grid(
    sweeps: SparseSweep, grid: Grid, words: WordGroups, key: SweepKey, one_by_one: float
) -> None:
    """Sweep the cells of every step as if at the same time."""
    n_topics = sweeps.state.priors.n_topics
    by_word = sweeps.state.word_topic_counts()
    for row, first, end in zip(
        words.totals, grid.word_groups[:-1], grid.word_groups[1:], strict=True
    ):
        row[:n_topics] = by_word[first:end].sum(axis=0)
    draw_masses = words.for_sweep(piece_stream(key, MASSES, 0))
    for cells in grid.steps():
        draw_masses()
        for cell in cells:
            group = grid.word_group(cell)
            sweeps.n_k = words.totals[group, :n_topics].astype(np.int64)
            sweeps.beta_sum = words.beta_sum[group, :n_topics]
            sweeps.masses = words.masses[group, :n_topics]
            sweeps.rng = piece_stream(key, CELLS, cell.number)
            sweeps.run_cell(cell.rows, cell.minors, one_by_one)
            words.totals[group, :n_topics] = sweeps.n_k
