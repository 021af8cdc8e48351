"""`backward`: blocks at once by backward simulation, at most K − 1 steps a block."""

from __future__ import annotations

from blocklda import _native
from blocklda.reference import backward as twin
from blocklda.samplers.base import Sampler
from blocklda.samplers.kernel_call import block_arguments, run_collapsed
from blocklda.state import State, SweepOptions

__all__ = ["BACKWARD"]


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    return run_collapsed(_native.backward, state, n_sweeps, **block_arguments(options))


BACKWARD = Sampler(
    name="backward",
    summary="blocked collapsed Gibbs by backward simulation",
    native=_native_sweep,
    python=twin.sweep,
)
