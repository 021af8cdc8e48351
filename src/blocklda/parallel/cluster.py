"""Workers: checked before the first sweep, given tasks, and what is said if they go away."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import pydoc
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import blocklda
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.parallel.shard_memory import (
    grid_worker_bytes,
    least_bytes,
    room_for_shards,
)
from blocklda.support.errors import BlockldaError, CapacityError, ClusterError, InputError
from blocklda.support.extras import import_extra
from blocklda.support.messages import Given

__all__ = ["Cluster", "WorkersLost"]

CONNECT_SECONDS = 10
POLL_SECONDS = 1.0
WORKERS_SECONDS = 60
"""So long workers that all went away are waited for: those of a local cluster come back."""


ATTEMPTS = 10
"""After so many a task is taken to be what kills workers."""

Result = TypeVar("Result")


class WorkersLost(Exception):  # noqa: N818  # it is caught, and the sweep is done again
    """Results that are gone for good because the workers that had them were killed."""


class Cluster:
    """Workers, and where each shard is."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._distributed = import_extra("distributed", "dask", "a fit on shards")
        self._address = client.scheduler.address if client.scheduler else "?"
        self._places: dict[int, str] = {}
        self._placed_on: dict[str, int] = {}
        self.room: int | None = None
        """Bytes that shards may have in a worker; None for as many as there are."""
        self.goes_on = ""
        """What to do to go on after the cluster went away."""

    # --- before the first sweep

    def workers(self) -> dict[str, int]:
        """Return the addresses of the workers, with their threads."""
        found: dict[str, int] = self._client.nthreads()
        return dict(sorted(found.items()))

    def require_workers(self) -> None:
        """Refuse a cluster without workers, or with one that has another blocklda or NumPy."""
        if not self.workers():
            raise InputError(
                f"the scheduler at {self._address} has no workers: start some with "
                f"`dask worker {self._address}`."
            )
        for package, here in (("blocklda", blocklda.__version__), ("numpy", np.__version__)):
            # A function of Python's own, which a worker has whatever its packages are.
            versions = self._client.run(pydoc.locate, f"{package}.__version__", on_error="return")
            for worker, version in versions.items():
                if version == here or isinstance(version, OSError):
                    continue  # the same, or a worker that went away just now
                found = f"{package} {version}" if isinstance(version, str) else f"no {package}"
                raise InputError(
                    f"the worker {worker} has {found}, and here it is {here}: install the same on "
                    "all machines, since another may draw other numbers."
                )

    def require_memory(self, n_bytes: int, what: str) -> int:
        """Refuse workers that are too small, by what they say they may use.

        Returns the lowest of their limits, 0 if there are none.
        """
        info = self._client.scheduler_info(n_workers=-1)
        limits = {
            worker: facts.get("memory_limit") or 0 for worker, facts in info["workers"].items()
        }
        for worker, limit in limits.items():
            if 0 < limit < n_bytes:
                raise CapacityError(
                    f"the worker {worker} may use {limit / 2**20:,.0f} MiB of memory, but {what} "
                    f"need about {n_bytes / 2**20:,.0f} MiB: give workers more memory, or use more "
                    "and smaller shards, fewer topics or fewer words."
                )
        return min((limit for limit in limits.values() if limit), default=0)

    def require_memory_for(
        self, corpus: ShardedCorpus, n_topics: int, sampler: str, n_chains: int
    ) -> None:
        """Refuse workers that are too small.

        For `grid` all shards have to be in memory. Else φ and a shard have to, and the rest is room
        for more shards.
        """
        if sampler == GRID.name:
            n_bytes = grid_worker_bytes(corpus, n_topics, len(self.workers()), n_chains)
            self.require_memory(
                n_bytes, "its part of all shards, which sampler 'grid' keeps in memory,"
            )
            return
        least = least_bytes(corpus, n_topics)
        limit = self.require_memory(
            least, f"φ of {corpus.n_words:,} words and {n_topics:,} topics and the largest shard"
        )
        self.room = room_for_shards(limit, least)

    def require_shared(self, folder: Path, *, is_given: bool) -> None:
        """Refuse a folder that some worker does not see, by a file in it."""
        seen = self._client.run(os.path.isfile, str(folder / "lock"), on_error="return")
        for worker, sees in seen.items():
            if sees is not True and not isinstance(sees, OSError):
                given = Given("checkpoint", folder)
                raise InputError.of(
                    "the worker {worker} does not see {what}, and shards and their topics are kept "
                    "there: [give a {checkpoint=} folder that all machines share]."
                ).where(worker=worker, what=given if is_given else "the folders of this machine")

    # --- tasks

    def submit(
        self,
        key: str,
        do: Callable[..., Any],
        arguments: Sequence[Any],
        near: str | None = None,
        priority: int = 0,
        *,
        only_there: bool = False,
    ) -> Any:
        """Ask for a task, near a worker or, if that one is gone or others are idle, anywhere.

        Of tasks that a worker could do it does those of a higher ``priority`` first.

        ``only_there``: for a task that needs what this worker has in memory. If the worker goes
        away, Dask waits for it for ever; whoever waits for :meth:`results` is told.
        """
        where = {} if near is None else {"workers": [near], "allow_other_workers": not only_there}
        with self._told():
            return self._client.submit(do, *arguments, key=key, priority=priority, **where)

    def worker_of(self, shard: int) -> str | None:
        """Return the address of the worker that has a shard."""
        return self._places.get(shard)

    @property
    def placed_on(self) -> dict[str, int]:
        """The workers that have the shards, with their threads."""
        return dict(self._placed_on)

    def spread(self, n: int) -> list[str | None]:
        """Return a worker for each of ``n`` parts, in turn; None where there are none."""
        workers = sorted(self._placed_on)
        return [workers[i % len(workers)] if workers else None for i in range(n)]

    def place_shards(self, sizes: Sequence[int]) -> None:
        """Give each shard a worker, the largest first, each to the one with the least so far.

        While the workers stay the same, so does that.
        """
        with self._told():
            threads = self.workers()
        if threads == self._placed_on:
            return
        self._placed_on = threads
        load = dict.fromkeys(threads, 0.0)
        self._places = {}
        for shard in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
            if load:
                worker = min(load, key=lambda one: (load[one], one))
                load[worker] += sizes[shard] / threads[worker]
                self._places[shard] = worker

    def results(self, futures: Sequence[Any]) -> list[Any]:
        """Wait for tasks and return what they returned, in order."""
        alone_since: float | None = None
        with self._told():
            gathered = self._client.gather(list(futures), asynchronous=True)
            found = asyncio.run_coroutine_threadsafe(gathered, self._client.loop.asyncio_loop)
            try:
                while not concurrent.futures.wait([found], timeout=POLL_SECONDS).done:
                    workers = self.workers()
                    if not workers:
                        alone_since = alone_since or time.monotonic()
                        self._require_return(alone_since)
                    elif not set(self._placed_on) <= set(workers):
                        # Dask leaves tasks that prefer a worker waiting for ever if all workers
                        # were gone for a moment.
                        raise WorkersLost("a worker went away")
                returned: list[Any] = found.result()
                return returned
            finally:
                found.cancel()

    def compute(self, delayed: Sequence[Any]) -> list[Any]:
        """Compute parts of a Dask collection."""

        def attempt() -> list[Any]:
            with self._told():
                return self.results(self._client.compute(list(delayed)))

        return self.again_if_lost(attempt)

    def each(
        self, do: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], sizes: Sequence[int]
    ) -> list[Any]:
        """Return what a function returns for each shard; ``sizes`` are their tokens."""

        def attempt() -> list[Any]:
            self.place_shards(sizes)
            names = [f"{do.__name__}-{i}-{uuid.uuid4().hex}" for i in range(len(arguments))]
            return self.results(
                [
                    self.submit(name, do, arguments[i], self.worker_of(i))
                    for i, name in enumerate(names)
                ]
            )

        return self.again_if_lost(attempt)

    def again_if_lost(
        self, attempt: Callable[[], Result], on_loss: Callable[[], None] | None = None
    ) -> Result:
        """Return what an attempt returns; if workers were lost in it there is another one."""
        n_lost = 0
        while True:
            try:
                return attempt()
            except WorkersLost as error:
                n_lost += 1
                if on_loss is not None:
                    on_loss()
                self.require_connection()
                if n_lost == ATTEMPTS:
                    raise self._gave_up(error) from error

    def tell(self, do: Callable[..., Any], *arguments: Any) -> None:
        """Let every worker do something that does not matter if it fails."""
        if self._client.status == "running":
            with suppress(Exception):
                self._client.run(do, *arguments)

    def bytes_sent(self) -> int:
        """Return the bytes that workers have sent to each other so far, as they count them."""
        with self._told():
            # A worker that goes away just now takes its number with it.
            return sum(self._client.run(_bytes_sent, on_error="ignore").values())

    # --- when something goes away

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell lost workers from a lost scheduler, and both from errors of the tasks."""
        lost = (
            self._distributed.KilledWorker,
            self._distributed.CancelledError,
            concurrent.futures.CancelledError,
        )
        try:
            yield
        except (BlockldaError, WorkersLost):
            raise
        except lost as error:
            raise WorkersLost(str(error)) from error
        except (OSError, TimeoutError, RuntimeError) as error:
            if self._client.status == "running":
                raise
            raise WorkersLost(str(error)) from error

    def require_connection(self) -> None:
        """Refuse to go on without the scheduler; Dask itself tries to find it again for a while."""
        end = time.monotonic() + CONNECT_SECONDS
        while self._client.status != "running":
            if self._client.status == "closed" or time.monotonic() > end:
                raise ClusterError(
                    f"the Dask scheduler at {self._address} went away: start it again, with "
                    f"workers. {self.goes_on}"
                )
            time.sleep(0.1)

    def _require_return(self, alone_since: float) -> None:
        if time.monotonic() > alone_since + WORKERS_SECONDS:
            raise ClusterError.of(
                "all workers of the scheduler at {address} went away, and none came back within "
                "{seconds} seconds: start some. [{goes_on}]"
            ).where(address=self._address, seconds=WORKERS_SECONDS, goes_on=self.goes_on)

    def _gave_up(self, error: Exception) -> ClusterError:
        return ClusterError.of(
            "workers were lost in each of {attempts} attempts at the same work ({error!s:.200}): "
            "see their logs; too little memory is the usual reason. [{goes_on}]"
        ).where(attempts=ATTEMPTS, error=error, goes_on=self.goes_on)


def _bytes_sent(dask_worker: Any) -> int:
    return int(dask_worker.transfer_outgoing_bytes_total)
