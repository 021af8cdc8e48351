"""`nested`: blocks at once by nested simulation, at most C ⌈log₂ K⌉ steps a block."""

from __future__ import annotations

from blocklda import _native
from blocklda.models.lda.priors import LANES, padded_length
from blocklda.models.lda.reference import nested as twin
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.block_limits import require_blocks_that_end
from blocklda.models.lda.samplers.convolution import fft_from
from blocklda.models.lda.samplers.kernel_call import block_arguments, run_collapsed
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["NESTED"]

GROUP_SIZE = 8
"""Topics that are multiplied without keeping their products: native/group_tree.hpp."""


def _block_bytes(n_topics: int, n_tokens: int, options: SweepOptions) -> int:
    """Count the tree over groups of topics, C + 1 numbers for each node.

    By FFT there are besides three times the lowest level, and transforms of twice its length.
    """
    groups = min(n_topics, LANES * -(-n_topics // (LANES * GROUP_SIZE)))
    rows = 2 * padded_length(groups) + 3 * LANES
    if n_tokens >= fft_from(options.convolution):
        rows += (3 + 8) * groups
    return 8 * rows * (n_tokens + 1)


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    require_blocks_that_end(state, options, _block_bytes)
    return run_collapsed(_native.nested, state, n_sweeps, **block_arguments(options))


def _python_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    require_blocks_that_end(state, options, _block_bytes)
    return twin.sweep(state, options, n_sweeps)


NESTED = Sampler(
    name="nested",
    summary="blocked collapsed Gibbs by nested simulation",
    native=_native_sweep,
    python=_python_sweep,
    block_memory=_block_bytes,
    companion="single-site",
)
