"""From what a user gives as ``client`` to a cluster; without any, processes on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from blocklda.parallel import cluster
from blocklda.parallel.sweeping_cluster import SweepingCluster
from blocklda.support.checks import n_workers as checked_n_workers
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra

__all__ = ["connected", "local_cluster"]

LOOPBACK = "127.0.0.1"


@contextmanager
def connected(client: Any, n_workers: int | None = None) -> Iterator[SweepingCluster]:
    """Give a cluster: that of a client, that at an address, or a local one that ends at the end."""
    distributed = import_extra("distributed", "dask", "a fit on shards")
    if client is None:
        n_processes = checked_n_workers(-1 if n_workers is None else n_workers)
        with local_cluster(n_processes) as local, distributed.Client(local) as own:
            yield SweepingCluster(own)
        return
    if n_workers is not None:
        raise InputError.of(
            "{n_workers=} is for a local cluster, and the workers of client= are those it has: "
            "[leave one of the two out]."
        ).where(n_workers=n_workers)
    if isinstance(client, str):
        with _client_at(distributed, client) as own:
            yield SweepingCluster(own)
        return
    if not isinstance(client, distributed.Client):
        raise InputError.of(
            "{client=} is a {kind}: [give <a dask.distributed.Client, the address of a scheduler "
            "such as tcp://host:8786, or None for a local cluster>]."
        ).where(client=client, kind=type(client).__name__)
    yield SweepingCluster(client)


@contextmanager
def local_cluster(n_workers: int, memory_limit: int | str = "auto") -> Iterator[Any]:
    """Give a cluster of processes on this machine that nobody else can send work to.

    Everybody on a machine can reach loopback, and a scheduler runs what it is sent: so all talk is
    encrypted, with a certificate that is made for this cluster and never leaves its processes.
    Each has one thread: the kernels release Python's lock, the rest does not. There is no
    dashboard. What Dask answers by HTTP is on loopback too, at any port that is free.
    ``memory_limit`` is what each worker may use, in bytes.
    """
    distributed = import_extra("distributed", "dask", "a fit on shards")
    import_extra("cryptography", "dask", "a cluster on this machine")
    settings = {
        # A worker that is killed comes back, however long that takes on a busy machine.
        "distributed.deploy.lost-worker-timeout": "1 day",
        # An idle worker would open a shard of another one to do its task.
        "distributed.scheduler.work-stealing": False,
        # Without a dashboard nobody sees what idle processes would spend a tenth of a core on.
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1 s",
    }
    with (
        import_extra("dask.config", "dask", "a fit on shards").set(settings),
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            memory_limit=memory_limit,
            host=LOOPBACK,
            protocol="tls",
            security=distributed.Security.temporary(),
            dashboard_address=f"{LOOPBACK}:0",
            scheduler_kwargs={"dashboard": False},
            preload="blocklda.parallel.no_interrupts",
        ) as local,
    ):
        yield local


def _client_at(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=cluster.CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address!r:.80} ({type(error).__name__}): give the "
            "address that `dask scheduler` prints, such as tcp://host:8786."
        ) from error
