"""Ten worker processes killed, each in the middle of a sweep: `python -m torture.workers`.

A fit on shards goes on whatever happens to its workers, and ends with the draws of one machine.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import distributed
import numpy as np

from blocklda import parallel
from blocklda.formats.sharded import write_shards
from blocklda.parallel.clients import local_cluster
from tests.parallel.clusters import N_TOPICS, Killer, corpus, on_one_machine

N_KILLS = 10
N_SWEEPS = 2 * N_KILLS + 4
N_SHARDS = 6


def main() -> int:
    """Run it; return 0 if the fit ended as one machine's does."""
    whole = corpus()
    chain, levels = on_one_machine(whole, N_SWEEPS)
    with tempfile.TemporaryDirectory() as name:
        shards, run = Path(name) / "shards", Path(name) / "run"
        write_shards(whole, shards, N_SHARDS)
        with local_cluster(2) as cluster, distributed.Client(cluster) as client:
            killer = Killer(cluster, run, sweeps=range(2, 2 * N_KILLS + 1, 2))
            killer.start()
            start = time.monotonic()
            found = parallel.fit(
                client, shards, N_TOPICS, n_sweeps=N_SWEEPS, burn_in=4, seed=3, checkpoint=run
            )
            seconds = time.monotonic() - start
            killer.join()
        same = bool(np.array_equal(found.assignments(), chain.assignments()))
        same = same and found.log_posterior.tolist() == levels
    in_the_middle = sum(n_done < N_SHARDS for n_done in killer.shards_done)
    sys.stdout.write(
        f"{len(killer.shards_done)} workers killed, {in_the_middle} of them in the middle of a "
        f"sweep, in {N_SWEEPS} sweeps of {N_SHARDS} shards ({seconds:.0f} s): "
        f"{'the draws of one machine, to the bit' if same else 'OTHER DRAWS'}\n"
    )
    return 0 if same and len(killer.shards_done) == N_KILLS else 1


if __name__ == "__main__":
    sys.exit(main())
