"""The samplers: word blocks, moves of tables, and the global step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from blocklda import _native
from blocklda.models.hdp.colours import Colours, cut_cells
from blocklda.models.hdp.global_step import GlobalStep
from blocklda.models.hdp.reference.grid import sweep_grid
from blocklda.models.hdp.reference.stick import OutOfSlotsError
from blocklda.models.hdp.reference.table_moves import move_tables
from blocklda.models.hdp.reference.word_blocks import sweep_blocks
from blocklda.models.hdp.state import State, SweepOptions
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.priors import padded_length
from blocklda.models.lda.samplers.base import BACKENDS
from blocklda.models.lda.samplers.sparse.plan import (
    PART,
    falling_shares,
    sequential_from,
    sequential_part,
)
from blocklda.models.lda.samplers.sweep_streams import CELLS, MASSES, piece_stream, sweep_key
from blocklda.support.errors import unknown_choice

__all__ = ["AUTO", "SAMPLERS", "Sampler", "find_sampler"]

AUTO = "auto"

ONE_BY_ONE = 0.4
"""The share of blocks whose tokens go one by one. It must not depend on the number of topics, which
a sweep changes."""

MovesState = Callable[..., int]
"""A part of a sweep: moves a state in place, and returns how many draws that took."""


def native_blocks(
    state: State,
    largest: int,
    one_by_one: float,
    sequential: int = 1,
    moved_later: tuple[int, int] = (0, 0),
) -> int:
    """Visit every block once; with the probability ``one_by_one`` token by token.

    Blocks whose word has many other tokens are drawn token after token in parts of at most
    ``sequential``; 1 for none. ``moved_later``: the first document whose tables are moved next, and
    every how many of them. The kernel notes how full the cells of the others are.
    """
    first, every = moved_later
    return _call(
        _native.hdp_blocks,
        state,
        max_block=largest,
        one_by_one=one_by_one,
        sequential_block=sequential,
        sequential_from=sequential_from(),
        moved_first=first,
        moved_every=every,
    )


def native_grid(
    state: State, largest: int, one_by_one: float, n_threads: int = 1, size: int | None = None
) -> int:
    """Do the same on a grid of documents and words, in some threads.

    ``size`` is the number of groups on each axis, if it is not to be that of the corpus.
    """
    grid = cut_cells(state.corpus, size)
    key = sweep_key(state.rng)
    streams = [piece_stream(key, CELLS, i).bit_generator for i in range(grid.size**2)]
    step = Colours(state, grid, piece_stream(key, MASSES, 0))
    return _call(
        _native.hdp_grid,
        state,
        [stream.capsule for stream in streams],
        row_groups=grid.row_groups,
        minor_groups=grid.minor_groups,
        colours=(
            step.cells.reshape(grid.size**2, state.n_slots),
            step.colours,
            step.masses,
            step.beta_sum,
            step.rests,
            step.gamma,
            step.draw,
        ),
        max_block=largest,
        one_by_one=one_by_one,
        n_threads=n_threads,
    )


def native_tables(state: State, first: int, every: int) -> int:
    """Move the tables of every so many documents, from the first on."""
    return _call(_native.hdp_tables, state, first=first, every=every)


def _call(
    kernel: Callable[..., tuple[int, int, int, bool]],
    state: State,
    streams: list[Any] | None = None,
    **options: Any,
) -> int:
    """Call a kernel that draws from the state's generator, or from streams of its cells."""
    if not isinstance(state.workspace, _native.SparseWorkspace):
        state.workspace = _native.SparseWorkspace()
    levels, words = state.level_numbers(), state.levels.word_prior(state.corpus.n_words)
    # The capsule's functions are not thread-safe: NumPy asks its users to hold this lock.
    with state.rng.bit_generator.lock:
        steps, failed, n_born, is_full = kernel(
            state.corpus.native,
            state.topics,
            state.rng.bit_generator.capsule if streams is None else streams,
            state.workspace,
            state.tau,
            state.numbers,
            levels,
            words.values,
            words.total,
            state.n_born,
            **options,
        )
    if is_full:
        raise OutOfSlotsError
    raise_if_failed(state.corpus, failed)
    state.rest, state.n_born = float(levels[0]), n_born
    return steps


TABLES: dict[str, MovesState] = {"native": native_tables, "python": move_tables}
"""Moves of tables of each backend."""


@dataclass(frozen=True)
class Kind:
    """How a sampler moves word blocks: ``largest`` tokens at once, by a function of each backend.

    ``is_sequential``: blocks whose word has many other tokens are drawn token after token, as those
    of LDA are. ``in_threads``: the functions take a number of threads.
    """

    largest: int
    blocks: dict[str, MovesState]
    is_sequential: bool = False
    in_threads: bool = False

    def settings(self, options: SweepOptions, moved_later: tuple[int, int]) -> dict[str, Any]:
        """Return what the functions take beside the state and the sizes of blocks."""
        if self.in_threads:
            return {"n_threads": options.n_threads}
        sequential = sequential_part(options.max_block) if self.is_sequential else 1
        return {"sequential": sequential, "moved_later": moved_later}


_ONE_AFTER_ANOTHER: dict[str, MovesState] = {"native": native_blocks, "python": sweep_blocks}

KINDS = {
    "sparse": Kind(PART, _ONE_AFTER_ANOTHER, is_sequential=True),
    "sparse-single-site": Kind(1, _ONE_AFTER_ANOTHER),
    "grid": Kind(PART, {"native": native_grid, "python": sweep_grid}, in_threads=True),
}

SAMPLERS = tuple(KINDS)


class Sampler:
    """A sweep over all blocks, some tables, and the global step."""

    def __init__(self, name: str, kind: Kind, global_step: GlobalStep) -> None:
        self.name = name
        self.kind = kind
        self.global_step = global_step

    def sweep(self, backend: str) -> Callable[[State, SweepOptions, int], int]:
        """Return the function that advances a state in place."""
        if backend not in TABLES:
            raise unknown_choice("backend", backend, BACKENDS)
        return Sweeps(self, self.kind.blocks[backend], TABLES[backend])


class Sweeps:
    """Sweeps with the parts of one backend."""

    def __init__(self, sampler: Sampler, blocks: MovesState, tables: MovesState) -> None:
        self.sampler, self.blocks, self.tables = sampler, blocks, tables

    def __call__(self, state: State, options: SweepOptions, n_sweeps: int) -> int:
        """Advance a state by some sweeps; return the number of draws that took."""
        shares = falling_shares(ONE_BY_ONE, state.random_start, state.n_sweeps, n_sweeps)
        steps = 0
        for i, share in enumerate(shares):
            steps += self.in_enough_slots(state, options, float(share), state.n_sweeps + i)
            state.forget_derived()
            self.sampler.global_step.apply(state)
        return steps

    def in_enough_slots(
        self, state: State, options: SweepOptions, one_by_one: float, sweep: int
    ) -> int:
        """Move blocks and tables; if the slots do not suffice, again from the start with more.

        The generator is set back too, and slots are added behind the others, which changes no draw:
        it is as if there had been more of them from the start.
        """
        before, generator = state.snapshot(), state.rng.bit_generator.state
        while True:
            try:
                return self.moved(state, options, one_by_one, sweep)
            except OutOfSlotsError:
                n_slots = padded_length(state.n_slots + max(32, state.n_slots // 4))
            state.restore(before)
            state.rng.bit_generator.state = generator
            state.add_slots(n_slots - state.n_slots)
            before = state.snapshot()

    def moved(self, state: State, options: SweepOptions, one_by_one: float, sweep: int) -> int:
        """Move blocks, then the tables of the documents whose turn it is."""
        kind = self.sampler.kind
        largest = min(kind.largest, options.max_block or kind.largest)
        every = options.table_every
        moved = (sweep % every if every else 0, every)
        steps = self.blocks(state, largest, one_by_one, **kind.settings(options, moved))
        return steps + (self.tables(state, *moved) if every else 0)


def find_sampler(name: Any, global_step: GlobalStep) -> Sampler:
    """Return the sampler of a name, or say which names there are."""
    chosen = "sparse" if isinstance(name, str) and name == AUTO else name
    if not isinstance(chosen, str) or chosen not in KINDS:
        raise unknown_choice("sampler", name, (AUTO, *SAMPLERS))
    return Sampler(chosen, KINDS[chosen], global_step)
