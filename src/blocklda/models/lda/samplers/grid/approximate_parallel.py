"""`approximate-parallel`: `sparse` on a documents × words grid with stale topic totals.

Its stationary distribution is close to the posterior, but is not the posterior: see
docs/explanation/approximate-parallel.md.
"""

from __future__ import annotations

from blocklda.models.lda.reference import approximate_parallel as twin
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.grid.sampler import run_on_grid, table_bytes
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["APPROXIMATE_PARALLEL", "run"]


def run(state: State, options: SweepOptions, n_sweeps: int, size: int | None = None) -> int:
    """Sweep a state by the kernel with stale totals; return the simulation steps.

    ``size`` is the number of groups on each axis, if it is not to be that of the corpus.
    """
    return run_on_grid(state, options, n_sweeps, size, is_exact=False)


APPROXIMATE_PARALLEL = Sampler(
    name="approximate-parallel",
    summary="not exact: blocks over a grid with stale topic totals, in several threads",
    native=run,
    python=twin.sweep,
    memory=table_bytes,
)
