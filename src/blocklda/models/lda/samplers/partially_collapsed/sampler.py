"""`partially-collapsed`: φ drawn once a sweep, blocks given φ, in any number of threads."""

from __future__ import annotations

from blocklda.models.lda.reference import partially_collapsed as twin
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.partially_collapsed.sweep import run
from blocklda.models.lda.samplers.table_sizes import partially_collapsed_tables

__all__ = ["PARTIALLY_COLLAPSED"]

PARTIALLY_COLLAPSED = Sampler(
    name="partially-collapsed",
    summary="φ drawn, then blocks given φ, in several threads",
    native=run,
    python=twin.sweep,
    memory=partially_collapsed_tables,
)
