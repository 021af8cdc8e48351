"""One chain on several machines: the partially collapsed sampler by way of Dask.

`fit` is the door. The client keeps the chain's generator and what was kept of its sweeps; workers
keep the topics of their shards and write them down after every sweep. `tasks` is what a worker
does, `cluster_sweeps` the order in which it is asked to, `sharded_fit` what comes out, and `load`
finds it again.
"""

from __future__ import annotations

from blocklda.parallel.fit import fit
from blocklda.parallel.load import load
from blocklda.parallel.sharded_fit import ShardedFit

__all__ = ["ShardedFit", "fit", "load"]
