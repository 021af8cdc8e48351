"""The samplers: word blocks, moves of tables, and the global step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blocklda import _native
from blocklda.models.hdp.global_step import GlobalStep
from blocklda.models.hdp.reference.stick import OutOfSlotsError
from blocklda.models.hdp.reference.table_moves import move_tables
from blocklda.models.hdp.reference.word_blocks import sweep_blocks
from blocklda.models.hdp.state import State, SweepOptions
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.priors import padded_length
from blocklda.models.lda.samplers.base import BACKENDS
from blocklda.models.lda.samplers.sparse.plan import PART, falling_shares
from blocklda.support.errors import unknown_choice

__all__ = ["AUTO", "SAMPLERS", "Sampler", "find_sampler"]

AUTO = "auto"

ONE_BY_ONE = 0.4
"""The share of blocks whose tokens go one by one. It must not depend on the number of topics, which
a sweep changes."""

MovesState = Callable[..., int]
"""A part of a sweep: moves a state in place, and returns how many draws that took."""


def native_blocks(state: State, largest: int, one_by_one: float) -> int:
    """Visit every block once; with the probability ``one_by_one`` token by token."""
    return _call(_native.hdp_blocks, state, max_block=largest, one_by_one=one_by_one)


def native_tables(state: State, first: int, every: int) -> int:
    """Move the tables of every so many documents, from the first on."""
    return _call(_native.hdp_tables, state, first=first, every=every)


def _call(kernel: Callable[..., tuple[int, int, int, bool]], state: State, **options: Any) -> int:
    if not isinstance(state.workspace, _native.SparseWorkspace):
        state.workspace = _native.SparseWorkspace()
    levels = state.level_numbers()
    # The capsule's functions are not thread-safe: NumPy asks its users to hold this lock.
    with state.rng.bit_generator.lock:
        steps, failed, n_born, is_full = kernel(
            state.corpus.native,
            state.topics,
            state.rng.bit_generator.capsule,
            state.workspace,
            state.tau,
            state.numbers,
            levels,
            state.n_born,
            **options,
        )
    if is_full:
        raise OutOfSlotsError
    raise_if_failed(state.corpus, failed)
    state.rest, state.n_born = float(levels[0]), n_born
    return steps


PARTS: dict[str, tuple[MovesState, MovesState]] = {
    "native": (native_blocks, native_tables),
    "python": (sweep_blocks, move_tables),
}
"""Word blocks and moves of tables of each backend."""


class Sampler:
    """A sweep over all blocks, some tables, and the global step; ``largest``: tokens at once."""

    def __init__(self, name: str, largest: int, global_step: GlobalStep) -> None:
        self.name = name
        self.largest = largest
        self.global_step = global_step

    def sweep(self, backend: str) -> Callable[[State, SweepOptions, int], int]:
        """Return the function that advances a state in place."""
        if backend not in PARTS:
            raise unknown_choice("backend", backend, BACKENDS)
        return Sweeps(self, *PARTS[backend])


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

        The generator is set back too, so it is as if there had been more slots from the start.
        """
        before, generator = state.snapshot(), state.rng.bit_generator.state
        while True:
            try:
                return self.moved(state, options, one_by_one, sweep)
            except OutOfSlotsError:
                n_slots = padded_length(state.n_slots + max(32, state.n_slots // 4))
            state.restore(before)
            state.rng.bit_generator.state = generator
            state.use_slots(n_slots)
            before = state.snapshot()

    def moved(self, state: State, options: SweepOptions, one_by_one: float, sweep: int) -> int:
        """Move blocks, then the tables of the documents whose turn it is."""
        largest = min(self.sampler.largest, options.max_block or self.sampler.largest)
        steps = self.blocks(state, largest, one_by_one)
        if options.table_every:
            steps += self.tables(state, sweep % options.table_every, options.table_every)
        return steps


LARGEST = {"sparse": PART, "sparse-single-site": 1}
"""The most tokens that each sampler draws at once."""

SAMPLERS = tuple(LARGEST)


def find_sampler(name: Any, global_step: GlobalStep) -> Sampler:
    """Return the sampler of a name, or say which names there are."""
    chosen = "sparse" if isinstance(name, str) and name == AUTO else name
    if not isinstance(chosen, str) or chosen not in LARGEST:
        raise unknown_choice("sampler", name, (AUTO, *SAMPLERS))
    return Sampler(chosen, LARGEST[chosen], global_step)
