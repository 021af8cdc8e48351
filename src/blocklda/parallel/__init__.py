"""Fits on shards: one sampler on several machines, or from disk in one process.

`write_shards` makes shards of texts, and `fit` fits them. The client keeps the generators of chains
and what was kept of their sweeps; workers keep the topics of their shards and write them down after
every sweep. `tasks` is what a worker does, `cluster_sweeps` the order in which it is asked to,
`disk_sweeps` the same in one process, `sharded_fit` what comes out, and `load` finds it again.
"""

from __future__ import annotations

from blocklda.parallel.fit import fit
from blocklda.parallel.load import load
from blocklda.parallel.sharded_fit import ShardedFit
from blocklda.parallel.write_shards import write_shards

__all__ = ["ShardedFit", "fit", "load", "write_shards"]
