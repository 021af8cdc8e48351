"""Workers killed, stopped for a while, and short of memory: `python -m torture.workers`.

A fit on shards goes on whatever happens to its workers, and ends with the draws of one that nobody
disturbs: in one process, or for `grid` on one worker. It has two chains, one with a variational
start and one with a random one, and learns its priors.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import distributed
import numpy as np

from blocklda import parallel
from blocklda.formats.sharded import write_shards
from blocklda.parallel.clients import local_cluster
from tests.parallel.clusters import N_TOPICS, Killer, Stopper, corpus

N_KILLS = 10
N_SHARDS = 6
HOW: dict[str, Any] = {"n_chains": 2, "init": "auto", "seed": 3, "burn_in": 4}
HOW |= {"learn_alpha": "asymmetric", "learn_beta": "symmetric", "n_sweeps": 2 * N_KILLS + 4}

ON_GRID = HOW | {"sampler": "grid"}

STOPPED_SECONDS = 3.0


def killed(cluster: Any, client: distributed.Client, shards: Path, run: Path) -> tuple[Any, str]:
    """Kill a worker while topics are first drawn, and others in the middle of sweeps."""
    killer = Killer(cluster, run, sweeps=range(0, 2 * N_KILLS, 2))
    killer.start()
    found = parallel.fit(client, shards, N_TOPICS, checkpoint=run, **HOW)
    killer.join()
    in_the_middle = sum(n_done < N_SHARDS for n_done in killer.shards_done)
    return found, f"{len(killer.shards_done)} workers killed, {in_the_middle} in mid-sweep"


def killed_in_grid(
    cluster: Any, client: distributed.Client, shards: Path, run: Path
) -> tuple[Any, str]:
    """Do the same to a fit by `grid`, whose sweeps are repeated as a whole."""
    killer = Killer(cluster, run, sweeps=range(0, 2 * N_KILLS, 2))
    killer.start()
    found = parallel.fit(client, shards, N_TOPICS, checkpoint=run, **ON_GRID)
    killer.join()
    return found, f"grid: {len(killer.shards_done)} workers killed"


def slow(cluster: Any, client: distributed.Client, shards: Path, run: Path) -> tuple[Any, str]:
    """Stop a worker for some seconds."""
    stopper = Stopper(client, run, sweep=5, seconds=STOPPED_SECONDS)
    stopper.start()
    found = parallel.fit(client, shards, N_TOPICS, checkpoint=run, **HOW)
    stopper.join()
    return found, f"a worker stopped for {STOPPED_SECONDS:.0f} s"


def spilling(cluster: Any, client: distributed.Client, shards: Path, run: Path) -> tuple[Any, str]:
    """Let workers write all results to disk as soon as they have them."""
    found = parallel.fit(client, shards, N_TOPICS, checkpoint=run, **HOW)
    return found, "results spilled to disk"


SPILL: dict[str, Any] = {
    "distributed.worker.memory.target": 1e-5,
    "distributed.worker.memory.spill": 1e-5,
}
Scenario = Callable[[Any, distributed.Client, Path, Path], tuple[Any, str]]
SCENARIOS: tuple[tuple[Scenario, dict[str, Any]], ...] = (
    (killed, {}),
    (slow, {}),
    (spilling, SPILL),
    (killed_in_grid, {}),
)


def expected_fits(shards: Path) -> dict[str, Any]:
    """Return what fits that nobody disturbs come to, by sampler: in one process, or on workers."""
    in_one_process = parallel.fit(None, shards, N_TOPICS, out_of_core=True, **HOW)
    on_workers = parallel.fit(None, shards, N_TOPICS, n_workers=1, **ON_GRID)
    return {one.sampler: one for one in (in_one_process, on_workers)}


def main() -> int:
    """Run all; return 0 if every fit ended as one that nobody disturbs."""
    whole, all_same = corpus(), True
    with tempfile.TemporaryDirectory() as name:
        shards = Path(name) / "shards"
        write_shards(whole, shards, N_SHARDS)
        undisturbed = expected_fits(shards)
        for disturb, settings in SCENARIOS:
            start = time.monotonic()
            with (
                dask.config.set(settings),
                local_cluster(2) as cluster,
                distributed.Client(cluster) as client,
            ):
                found, what = disturb(cluster, client, shards, Path(name) / disturb.__name__)
            expected = undisturbed[found.sampler]
            same = bool(
                np.array_equal(found.result.log_posterior, expected.result.log_posterior)
                and np.array_equal(found.assignments(), expected.assignments())
                and np.array_equal(found.result.priors["alpha"], expected.result.priors["alpha"])
            )
            all_same = all_same and same
            sys.stdout.write(
                f"{what}, in {HOW['n_sweeps']} sweeps of 2 chains on {N_SHARDS} shards "
                f"({time.monotonic() - start:.0f} s): "
                f"{'the draws of an undisturbed fit, to the bit' if same else 'OTHER DRAWS'}\n"
            )
            sys.stdout.flush()
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
