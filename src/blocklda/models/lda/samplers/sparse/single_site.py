"""`sparse-single-site`: one token at a time, over short lists of topics."""

from __future__ import annotations

from blocklda.models.lda.reference import sparse as twin
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.sparse.sampler import list_bytes, run_sparse
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["SPARSE_SINGLE_SITE"]


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    return run_sparse(state, n_sweeps, max_block=1)


SPARSE_SINGLE_SITE = Sampler(
    name="sparse-single-site",
    summary="collapsed Gibbs one token at a time, over short lists of topics",
    native=_native_sweep,
    python=twin.sweep_single_site,
    memory=list_bytes,
)
