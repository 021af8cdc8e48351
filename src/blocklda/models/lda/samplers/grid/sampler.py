"""`grid`: exact on a documents × words grid, in several threads.

Cells are drawn as `sparse` does, on lists of topics, or on dense counts where these are faster.
"""

from __future__ import annotations

from collections.abc import Callable

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import grid as twin
from blocklda.models.lda.samplers.base import Sampler, TableBytes
from blocklda.models.lda.samplers.grid.dense import dense_bytes, run_dense
from blocklda.models.lda.samplers.grid.plan import (
    Form,
    Grid,
    choose_form,
    cut_grid,
    grid_size,
    is_on_shards,
)
from blocklda.models.lda.samplers.grid.shards import cut_shards, require_shared_beta
from blocklda.models.lda.samplers.grid.word_masses import WordGroups
from blocklda.models.lda.samplers.kernel_call import Kernel, state_arguments
from blocklda.models.lda.samplers.sparse.plan import (
    largest_part,
    one_by_one_shares,
    sequential_from,
    sequential_part,
)
from blocklda.models.lda.samplers.sparse.sampler import (
    SparseWorkspace,
    list_bytes,
    raise_if_failed_at,
)
from blocklda.models.lda.samplers.sweep_streams import (
    CELLS,
    MASSES,
    SweepKey,
    piece_stream,
    sweep_key,
)
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Floats, Int32s

__all__ = ["GRID", "run", "run_on_grid", "table_bytes"]

ROW_NUMBERS = 27
"""Doubles a topic that each thread has for the row it is in."""


class _Workspace(SparseWorkspace):
    """The same as of `sparse`, and the grid."""

    _grid: Grid | None = None

    def grid(self, options: SweepOptions) -> Grid:
        """Return the grid of the corpus, cut again if the axis with the rows is another."""
        if self._grid is None or self._grid.by_word != self.by_word:
            self._grid = cut_grid(self.corpus, self.by_word)
        return self._grid


class _WorkspaceOfShards(_Workspace):
    """The same for a corpus in shards, whose documents always have the rows."""

    _shards: tuple[int, ...] = ()

    def follow(self, state: State) -> None:
        """Leave the axis as it is."""
        require_shared_beta(state.priors)

    def grid(self, options: SweepOptions) -> Grid:
        """Return the grid of the corpus, cut again if its shards are others."""
        if self._grid is None or self._shards != options.shards:
            self._grid, self._shards = cut_shards(self.corpus, options.shards), options.shards
        return self._grid


def run(
    state: State,
    options: SweepOptions,
    n_sweeps: int,
    size: int | None = None,
    form: Form | None = None,
) -> int:
    """Sweep a state by the kernel, exactly; return the simulation steps.

    ``size`` is the number of groups on each axis, if it is not to be that of the corpus, and
    ``form`` whether cells are dense or on lists, if that is not to be chosen.
    """
    if choose_form(state.corpus, state.priors.n_topics, options, size, form) == "dense":
        return run_dense(state, options, n_sweeps, size)
    return run_on_grid(state, options, n_sweeps, size, is_exact=True)


def run_on_grid(
    state: State, options: SweepOptions, n_sweeps: int, size: int | None, is_exact: bool
) -> int:
    """Sweep a state given the masses of groups of words, or else with stale totals."""
    on_shards = is_exact and is_on_shards(options, size)
    workspace = (_WorkspaceOfShards if on_shards else _Workspace).of(state)
    if size is None:
        grid = workspace.grid(options)
    else:
        grid = cut_grid(state.corpus, workspace.by_word, size)
    words = WordGroups(grid.word_groups, state.priors, once=on_shards) if is_exact else None
    shares = one_by_one_shares(state.priors.n_topics, state.random_start, state.n_sweeps, n_sweeps)
    return sum(_sweep(state, options, workspace, grid, words, float(share)) for share in shares)


def _sweep(
    state: State,
    options: SweepOptions,
    workspace: _Workspace,
    grid: Grid,
    words: WordGroups | None,
    one_by_one: float,
) -> int:
    corpus, priors = state.corpus, state.priors
    key = sweep_key(state.rng)
    streams = [piece_stream(key, CELLS, number).bit_generator for number in range(grid.size**2)]
    sweep_grid: Kernel = _native.sweep_grid
    steps, failed = sweep_grid(
        *state_arguments(state, workspace.by_word),
        [stream.capsule for stream in streams],
        workspace=workspace.tables,
        row_groups=grid.row_groups,
        minor_groups=grid.minor_groups,
        word_groups=None if words is None else _drawn(words, key),
        max_block=largest_part(priors.n_topics, options.max_block),
        one_by_one=one_by_one,
        sequential_block=sequential_part(options.max_block),
        sequential_from=sequential_from(),
        n_threads=options.n_threads,
    )
    raise_if_failed_at(corpus, failed, workspace.by_word)
    return steps


_Groups = tuple[Floats, Int32s, Floats, Callable[[], None]]


def _drawn(words: WordGroups, key: SweepKey) -> _Groups:
    """Return what the kernel takes of the groups, with a function that draws their masses."""
    draw = words.for_sweep(piece_stream(key, MASSES, 0))
    return words.beta_sum, words.totals, words.masses, draw


def table_bytes(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    """Add to the lists a topic's totals in each cell of a step and in groups, and threads' rows."""
    size = grid_size(corpus)
    per_topic = 4 * size * (size + 12) + 8 * ROW_NUMBERS * min(options.n_threads, size)
    kept, during = list_bytes(corpus, priors, options)
    return TableBytes(kept, during + per_topic * priors.n_topics)


def _bytes_of_form(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    form = choose_form(corpus, priors.n_topics, options)
    return (dense_bytes if form == "dense" else table_bytes)(corpus, priors, options)


GRID = Sampler(
    name="grid",
    summary="a grid of documents and words, in several threads",
    native=run,
    python=twin.sweep,
    memory=_bytes_of_form,
)
