"""`nested`: blocks at once by nested simulation, at most C ⌈log₂ K⌉ steps a block."""

from __future__ import annotations

from blocklda import _native
from blocklda.models.lda.reference import nested as twin
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.block_limits import require_blocks_that_end
from blocklda.models.lda.samplers.kernel_call import block_arguments, run_collapsed
from blocklda.models.lda.samplers.table_sizes import nested_tables
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["NESTED"]


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    require_blocks_that_end(state, options, nested_tables)
    return run_collapsed(_native.nested, state, n_sweeps, **block_arguments(options))


def _python_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    require_blocks_that_end(state, options, nested_tables)
    return twin.sweep(state, options, n_sweeps)


NESTED = Sampler(
    name="nested",
    summary="blocked collapsed Gibbs by nested simulation",
    native=_native_sweep,
    python=_python_sweep,
    memory=nested_tables,
)
