"""A cluster that sweeps chains, each by the tasks of its sampler."""

from __future__ import annotations

from pathlib import Path

from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.parallel.cluster import Cluster
from blocklda.parallel.cluster_sweeps import ClusterSweeps
from blocklda.parallel.grid_sweeps import GridSweeps
from blocklda.parallel.plan import ShardedPlan
from blocklda.parallel.worker_memory import RunPlace, forget_run

__all__ = ["SweepingCluster"]


class SweepingCluster(Cluster):
    """A cluster that sweeps chains."""

    def sweeps(self, plan: ShardedPlan, folder: Path) -> ClusterSweeps:
        """Return what sweeps a chain whose files are in a folder."""
        place = RunPlace(str(folder), plan.run, self.room)
        if plan.sampler == GRID.name:
            return GridSweeps(self, plan, place)
        return ClusterSweeps(self, plan, place)

    def forget(self, plan: ShardedPlan) -> None:
        """Let workers give back the memory of a run."""
        self.tell(forget_run, plan.run)
