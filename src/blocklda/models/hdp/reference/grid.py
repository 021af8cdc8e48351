"""Word blocks on a grid of documents and words, with births: exact, whatever the order of cells."""

from __future__ import annotations

import numpy as np

from blocklda.models.hdp.colours import SHARED, Colours, cut_cells
from blocklda.models.hdp.reference.stick import FREE_TOTAL
from blocklda.models.hdp.reference.word_blocks import WordBlocks
from blocklda.models.hdp.state import FREE, Levels, State
from blocklda.models.lda.samplers.grid.plan import Cell, Grid
from blocklda.models.lda.samplers.sweep_streams import CELLS, MASSES, piece_stream, sweep_key
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["CellBlocks", "sweep_grid"]

TAKEN = 0
"""The number, for one cell, of a slot in which it may have no births."""


class CellBlocks(WordBlocks):
    """Word blocks of one cell, with the slots that it may use."""

    masses: Floats

    def __init__(
        self, state: State, largest: int, colours: Colours, cell: Cell, rng: np.random.Generator
    ) -> None:
        self.number, group = divmod(cell.number, colours.size)
        own = colours.colours == self.number
        shared = colours.colours == SHARED
        levels = state.levels
        seen = State(
            corpus=state.corpus,
            rng=rng,
            topics=state.topics,
            tau=state.tau.copy(),
            numbers=np.where(own, state.numbers, TAKEN),
            rest=float(colours.rests[self.number]),
            n_born=state.n_born,
            levels=Levels(levels.alpha0, colours.gamma, levels.beta),
        )
        super().__init__(seen, largest)
        self.seen, self.own, self.group, self.born_before = seen, own, group, seen.n_born
        by_group = colours.cells.sum(axis=0, dtype=np.int64)
        self.n_k: Ints = np.where(shared, by_group[group], np.where(own, by_group.sum(axis=0), 0))
        self.before = self.n_k.copy()
        self.masses = np.where(shared, colours.masses[group], np.where(own, 1.0, 0.0))
        self.beta_sum[shared] = colours.beta_sum[group]
        self.beta_sum[~shared & ~own] = FREE_TOTAL

    def _update(self, block: Int32s, counts: Ints, one_by_one: float) -> None:
        """Leave the tokens of topics that the cell may not use where they are."""
        n = movable_first(block, self.masses)
        if n:
            super()._update(block[:n], counts, one_by_one)

    def give_back(self, state: State, colours: Colours) -> None:
        """Take over what the cell has left in its slots; its births follow those before them."""
        seen = self.seen
        born = np.flatnonzero(self.own & (state.numbers == FREE) & (seen.numbers != FREE))
        state.tau[born] = seen.tau[born]
        state.numbers[born] = seen.numbers[born] + (state.n_born - self.born_before)
        state.n_born += seen.n_born - self.born_before
        colours.cells[self.number, self.group] += (self.n_k - self.before).astype(np.int32)
        colours.rests[self.number] = seen.rest


def movable_first(block: Int32s, masses: Floats) -> int:
    """Put the tokens of topics that have a mass first; return how many there are."""
    n = 0
    for t in range(len(block)):
        if masses[block[t]] > 0:
            block[n], block[t] = block[t], block[n]
            n += 1
    return n


def sweep_grid(
    state: State, largest: int, one_by_one: float, n_threads: int = 1, size: int | None = None
) -> int:
    """Visit every block once; with the probability ``one_by_one`` token by token.

    ``size`` is the number of groups on each axis, if it is not to be that of the corpus. Here all
    is done in one thread.
    """
    grid = cut_cells(state.corpus, size)
    key = sweep_key(state.rng)
    colours = Colours(state, grid, piece_stream(key, MASSES, 0))
    colours.cells[:] = count_cells(state, grid)
    steps = 0
    for cells in grid.steps():
        colours.draw()
        swept = [
            CellBlocks(state, largest, colours, cell, piece_stream(key, CELLS, cell.number))
            for cell in cells
        ]
        for blocks, cell in zip(swept, cells, strict=True):
            blocks.run_cell(cell.rows, cell.minors, one_by_one)
            steps += blocks.steps
        for blocks in swept:
            blocks.give_back(state, colours)
    state.rest = colours.rest()
    return steps


def count_cells(state: State, grid: Grid) -> Ints:
    """Return the tokens of every cell by slot."""
    docs = np.searchsorted(grid.row_groups, state.token_docs(), side="right") - 1
    groups = np.searchsorted(grid.minor_groups, state.token_words(), side="right") - 1
    found = np.zeros((grid.size, grid.size, state.n_slots), dtype=np.int64)
    np.add.at(found, (docs, groups, state.topics), 1)
    return found
