"""`backward`: blocks at once by backward simulation, at most K − 1 steps a block."""

from __future__ import annotations

from blocklda import _native
from blocklda.models.lda.priors import padded_length
from blocklda.models.lda.reference import backward as twin
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.block_limits import require_blocks_that_end
from blocklda.models.lda.samplers.kernel_call import block_arguments, run_collapsed
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["BACKWARD"]


def _block_bytes(n_topics: int, n_tokens: int, options: SweepOptions) -> int:
    """Count leaves and partial sums, C + 1 numbers for each topic."""
    return 8 * (padded_length(n_topics) + n_topics) * (n_tokens + 1)


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    require_blocks_that_end(state, options, _block_bytes)
    return run_collapsed(_native.backward, state, n_sweeps, **block_arguments(options))


def _python_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    require_blocks_that_end(state, options, _block_bytes)
    return twin.sweep(state, options, n_sweeps)


BACKWARD = Sampler(
    name="backward",
    summary="blocked collapsed Gibbs by backward simulation",
    native=_native_sweep,
    python=_python_sweep,
    block_memory=_block_bytes,
    companion="single-site",
)
