"""Two workers beside two threads: CPU time to a log posterior, from the same random start.

The target is what local `sparse` has after some sweeps. Each sampler on shards runs on two workers
of one thread, on two shards of about as many tokens; `grid` in two threads of one process runs
before and after them. Seconds are CPU time: of all workers and of this process, in which scheduler
and client are. Time on the clock stands beside it, and means little on a machine with other work.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from distributed import Client

import blocklda
from benchmarks.harness import arguments, corpora, machine, table
from blocklda import parallel
from blocklda.parallel.clients import local_cluster
from blocklda.parallel.run import ShardedRun

ALPHA, BETA = 0.1, 0.01
N_WORKERS = 2
ENOUGH = {"grid": 1.25, "partially-collapsed": 2.3}
"""Times the sweeps of `sparse` after which each is there."""


class Curve(NamedTuple):
    """What was reached after each sweep, and what a sweep took."""

    levels: list[float]
    cpu: float
    wall: float

    def row(self, name: str, level: float) -> list[Any]:
        there = [number for number, one in enumerate(self.levels, 1) if one >= level]
        n = there[0] if there else np.inf
        return [name, n, self.cpu, n * self.cpu, n * self.wall]


def local(corpus: blocklda.Corpus, n_topics: int, sampler: str, n: int, n_threads: int) -> Curve:
    """Sweep in this process."""
    chain = blocklda.Chain(
        corpus, n_topics, ALPHA, BETA, sampler, seed=1, init="random", n_threads=n_threads
    )
    cpu, wall, levels = time.process_time(), time.perf_counter(), []
    for _ in range(n):
        chain.sweep()
        levels.append(chain.log_posterior())
    return Curve(levels, (time.process_time() - cpu) / n, (time.perf_counter() - wall) / n)


def on_workers(client: Client, shards: list[Any], n_topics: int, sampler: str, n: int) -> Curve:
    """Sweep on the workers of a client."""
    settings: dict[str, Any] = {"alpha": ALPHA, "beta": BETA, "seed": 1, "init": "random"}
    settings |= {"n_sweeps": n, "burn_in": n - 1, "thin": 1, "keep_draws": False}

    def now() -> tuple[float, float]:
        of_workers = sum(client.run(time.process_time).values())
        return of_workers + time.process_time(), time.perf_counter()

    with first_sweep(now) as begun:
        found = parallel.fit(client, shards, n_topics, sampler=sampler, progress=False, **settings)
        cpu, wall = now()
    return Curve(found.log_posterior.tolist(), (cpu - begun[0][0]) / n, (wall - begun[0][1]) / n)


@contextmanager
def first_sweep(now: Any) -> Iterator[list[tuple[float, float]]]:
    """Give the time at which the first sweep begins."""
    seen: list[tuple[float, float]] = []
    sweep = ShardedRun._sweep

    def noted(run: ShardedRun, one: Any) -> None:
        if not seen:
            seen.append(now())
        sweep(run, one)

    with patch.object(ShardedRun, "_sweep", noted):
        yield seen


def halves(corpus: blocklda.Corpus) -> list[blocklda.Corpus]:
    """Return two shards with about as many tokens each."""
    before = np.cumsum(corpus.doc_lengths())
    middle = int(np.searchsorted(before, before[-1] / 2)) + 1
    rows = corpus.to_matrix()
    return [blocklda.Corpus.from_matrix(part) for part in (rows[:middle], rows[middle:])]


def main() -> None:
    options = arguments(__doc__)
    n_topics, n_sweeps = (8, 5) if options.quick else (200, 60)
    corpus = list(corpora(options.quick).values())[-1]
    print(f"{corpus.n_tokens:,} tokens, K = {n_topics}; {machine()}\n", flush=True)
    level = local(corpus, n_topics, "sparse", n_sweeps, 1).levels[-1]
    n_of = {name: round(times * n_sweeps) for name, times in ENOUGH.items()}
    rows = [local(corpus, n_topics, "grid", n_of["grid"], 2).row("grid, 2 threads", level)]
    with local_cluster(N_WORKERS) as cluster, Client(cluster) as client:
        for name, n in n_of.items():
            curve = on_workers(client, halves(corpus), n_topics, name, n)
            rows.append(curve.row(f"{name}, 2 workers", level))
    rows.append(local(corpus, n_topics, "grid", n_of["grid"], 2).row("grid, 2 threads", level))
    of_threads = [(first + last) / 2 for first, last in zip(rows[0][3:], rows[-1][3:], strict=True)]
    shown = [
        [
            *(name, str(n), f"{cpu:.3f}"),
            *(f"{to_level:.1f}", f"{to_level / of_threads[0]:.2f}"),
            *(f"{wall:.1f}", f"{wall / of_threads[1]:.2f}"),
        ]
        for name, n, cpu, to_level, wall in rows
    ]
    header = ["", "sweeps", "CPU s a sweep", "CPU s", "÷ `grid` in threads", "s", "÷ in threads"]
    print(table(header, shown))


if __name__ == "__main__":
    main()
