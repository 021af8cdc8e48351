"""What makes a grid exact for topics that come and go: shared topics, colours and masses.

A step of a grid sweeps cells that have no document and no word in common. A topic with a token
outside these cells is shared by them: it cannot become empty, so its part of the stick stays, and
each group of words has totals and a mass of its own (`word_masses.py`). Every other atom of the
stick, occupied or not, has one of G colours, uniformly and independently. What is left of the stick
then falls into independent parts,

    ω ~ τ_u · Dirichlet(γ/G, …, γ/G),     part i being ω_i · DP(γ/G).

Cell i may use the shared topics, the topics of colour i, which no other cell touches and whose φ is
integrated out in one piece, and new topics from ω_i; its tokens in topics of other colours stay.
Which topics are shared depends on tokens outside the cells alone, and colours depend on nothing, so
each cell moves by its exact conditional. After the step colours, masses and parts are forgotten.
"""

from __future__ import annotations

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.hdp.reference.stick import running_sum
from blocklda.models.hdp.state import FREE, State
from blocklda.models.lda.samplers.grid.plan import Grid, cut_grid, grid_size
from blocklda.models.lda.samplers.grid.word_masses import draw_masses
from blocklda.support.arrays import Bools, Int32s, Ints

__all__ = ["SHARED", "Colours", "cut_cells"]

MOST_GROUPS = 4
"""Groups on each axis at the most. A cell sets up a row of all slots for each of its documents: on
KOS with 1,000 topics word blocks took 1.27 of the time of `sparse` with 4 groups, 1.72 with 8."""

SHARED = -1
"""The colour of a topic that all cells of a step may use."""


def cut_cells(corpus: Corpus, size: int | None = None) -> Grid:
    """Cut documents, which are the rows, and words into groups, by the corpus alone.

    ``size`` is the number of groups on each axis, if it is not to be that of the corpus.
    """
    return cut_grid(corpus, False, min(MOST_GROUPS, grid_size(corpus)) if size is None else size)


class Colours:
    """What the cells of a step may use, drawn anew before each step of one sweep.

    ``cells`` has the tokens of cell (i, j) by slot; whoever sweeps keeps them up to date, and
    ``rests``, what is left of each cell's part of the stick. ``masses`` are those of shared topics
    in groups of words. A free slot has the colour of the cell whose births may take it.
    """

    def __init__(self, state: State, grid: Grid, rng: np.random.Generator) -> None:
        size, n_slots = grid.size, state.n_slots
        self.state, self.rng, self.size, self.step = state, rng, size, -1
        self.gamma = state.levels.gamma / size
        words = state.levels.word_prior(state.corpus.n_words)
        self.beta_sum = words.group_totals(grid.word_groups)
        self.cells = np.zeros((size, size, n_slots), dtype=np.int32)
        self.colours = np.full(n_slots, SHARED, dtype=np.int32)
        self.masses = np.zeros((size, n_slots))
        self.rests = np.zeros(size)
        self.rests[0] = state.rest

    def draw(self) -> None:
        """Go on to the next step: forget what the last one went by, and draw it again.

        Nothing is drawn for free slots, so more of them would change nothing.
        """
        self.step += 1
        self.collect()
        is_used = self.state.numbers != FREE
        is_shared = is_used & self.are_shared()
        own = np.flatnonzero(is_used & ~is_shared)
        free = np.flatnonzero(~is_used)
        self.colours[is_shared] = SHARED
        self.colours[own] = self.drawn_colours(own)
        self.colours[free] = np.arange(len(free)) % self.size
        shares = draw_masses(np.full((self.size, 1), self.state.levels.gamma / self.size), self.rng)
        self.rests[:] = self.state.rest * shares[:, 0]
        shared = np.flatnonzero(is_shared)
        by_group = self.cells.sum(axis=0)[:, shared]
        self.masses[:, shared] = draw_masses(by_group + self.beta_sum[:, None], self.rng)

    def collect(self) -> None:
        """Put what is left of the stick together, with the parts of topics without tokens."""
        self.state.rest = self.rest()
        self.state.free_empty_slots(self.cells.sum(axis=(0, 1)))

    def rest(self) -> float:
        """Return what the cells have left of the stick."""
        return running_sum([float(part) for part in self.rests])

    def in_step(self) -> Ints:
        """Return the tokens of the step's cells by slot, shape (cells, slots)."""
        rows = np.arange(self.size)
        return self.cells[rows, (rows + self.step) % self.size].astype(np.int64)

    def are_shared(self) -> Bools:
        """Tell for every slot whether its topic has a token outside the cells of the step."""
        return np.asarray(self.cells.sum(axis=(0, 1)) > self.in_step().sum(axis=0))

    def drawn_colours(self, slots: Ints) -> Int32s:
        """Draw colours for topics that are not shared, whatever cells they lie in."""
        return self.rng.integers(0, self.size, size=len(slots), dtype=np.int32)
