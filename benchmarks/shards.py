"""A corpus of NYTimes's shape in shards, of its size or several times that: time, bytes, memory.

a  what the tasks of a sweep take for one shard, in this process, in CPU time: the constants of
   docs/explanation/scaling.md.
b  sweeps on workers of one thread each, and with --workers 0 in one process out of core, beside
   what the formulas give for them. Seconds are CPU time of all workers, which depends less on what
   else the machine does, and time on the clock.

Chains have a variational start. A larger corpus is the same documents several times over, in files
of their own (--copies 10: a billion tokens). --memory is what each worker may use, in GB; shards
that do not fit are read again in every sweep.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from distributed import Client, wait

import blocklda
from benchmarks import memory, newswire
from benchmarks.harness import machine, table
from blocklda.files.sharded_corpus import ShardedCorpus, Words, write_manifest, write_shard
from blocklda.models.lda.priors import padded_length
from blocklda.models.lda.samplers.sweep_streams import sweep_key
from blocklda.parallel import ShardedFit, fit, tasks
from blocklda.parallel.clients import local_cluster
from blocklda.parallel.cluster_sweeps import ADDED_AT_ONCE, MOST_SPANS
from blocklda.parallel.run import ShardedRun
from blocklda.parallel.shard_memory import (
    least_bytes,
    process_bytes,
    room_for_shards,
    shard_bytes,
    worker_bytes,
)
from blocklda.parallel.worker_memory import RunPlace, forget_run

ALPHA, BETA = 0.1, 0.01
THIN = 4
MB = 1e6
ROUNDS = 3


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="toy sizes, to see that it runs")
    add("--documents", type=int, default=300_000, help="documents to draw (default: 300,000)")
    add("--copies", type=int, default=1, help="how often the corpus has them (default: once)")
    add("--topics", type=int, default=newswire.N_TOPICS, help="K (default: that of the corpus)")
    add("--shards", type=int, default=12, help="shards of a copy (default: 12)")
    add("--sweeps", type=int, default=5, help="sweeps; the first is not timed (default: 5)")
    add("--workers", type=int, nargs="+", default=[0, 1, 2], help="how many (default: 0 1 2)")
    add("--memory", type=float, default=None, help="GB that each worker may use")
    options = parser.parse_args()
    if options.quick:
        options.documents, options.topics, options.shards, options.sweeps = 200, 200, 4, 2
        options.workers = [0, 1]
    return options


def sharded(options: argparse.Namespace, folder: Path) -> ShardedCorpus:
    """Draw the corpus and write it in shards, once or several times over."""
    n_words = 500 if options.quick else newswire.N_WORDS
    corpus = newswire.draw(options.documents, n_words=n_words).corpus
    folder.mkdir()
    ends = [corpus.n_docs * i // options.shards for i in range(options.shards + 1)]
    rows = corpus.to_matrix().tocsr()
    shards = [
        write_shard(folder, i, blocklda.Corpus.from_matrix(rows[ends[i] : ends[i + 1]]))
        for i in range(options.shards)
    ]
    for number in range(len(shards), options.copies * len(shards)):
        first = shards[number % options.shards]
        copy = replace(first, file=f"shard-{number + 1:06d}.npz")
        shutil.copy(folder / first.file, folder / copy.file)
        shards.append(copy)
    return write_manifest(folder, Words.of(corpus), shards)


# --- a


@dataclass(frozen=True)
class Costs:
    """CPU seconds of the tasks of a sweep."""

    documents: float
    """Of a token given φ."""
    shard: float
    """Of a token beside that: topics counted by words and by documents, and written."""
    opening: float
    """Of a token in a shard that is read again."""
    gammas: float
    """Of a number φ_kv that is drawn."""
    putting_together: float
    """Of a number φ_kv in every worker: divided by its total, and put into one table."""
    adding: float
    """Of a count n_vk > 0 of a shard that is added to those of others, and looked at."""
    filled: int
    """How many of these a shard has."""
    moving: float = 0.0
    """Of a byte that one worker sends to another, at both of them."""
    task: float = 0.0
    """Of a task, at its worker."""

    def of_sweep(
        self,
        corpus: ShardedCorpus,
        n_topics: int,
        n_workers: int,
        streamed: float,
        n_sent: float,
    ) -> float:
        """Return the CPU seconds of a sweep, with a share of the shards read again."""
        cells, n_shards = corpus.n_words * n_topics, len(corpus.shards)
        of_token = self.documents + self.shard + streamed * self.opening
        n_spans = min(MOST_SPANS, n_workers)
        n_tasks = n_spans * (n_shards + n_shards / ADDED_AT_ONCE + 3) + n_shards
        return (
            of_token * corpus.n_tokens
            + self.gammas * cells
            + self.putting_together * cells * max(1, n_workers)
            + self.adding * self.filled * n_shards
            + self.moving * n_sent
            + self.task * n_tasks
        )


def costs(options: argparse.Namespace, run: ShardedFit) -> Costs:
    """Time the tasks of a sweep in this process, on the first shard of a run that is done."""
    plan, place = run._plan, RunPlace(str(run.folder), run._plan.run, room=0)
    key, sweep, span = sweep_key(np.random.default_rng(0)), run.n_sweeps, (0, len(plan.words))
    seconds: dict[str, list[float]] = {}

    def timed(name: str, do: Callable[..., Any], *given: Any) -> Any:
        start = time.process_time()
        result = do(*given)
        seconds.setdefault(name, []).append(time.process_time() - start)
        return result

    for number in range(ROUNDS + 1):
        worker = tasks.memory_of(place)
        opened = timed("open", worker.shard, 0)
        topics = timed("read topics", worker.topics, 0, sweep)
        counts = timed("count", tasks.count_topics, opened.corpus, topics, plan.n_topics)
        summed = timed("add up", tasks.together, [counts] * ADDED_AT_ONCE, plan.n_topics)
        timed("words", tasks.facts_of_words, plan, plan.words, summed)
        sums = timed("gammas", tasks.draw_words, place, span, key, counts)
        totals = tasks.topic_totals(place, key, [sums])
        part = timed("finish", tasks.finish_words, place, span, key, counts, totals)
        timed("table", worker.phi, f"{sweep + 1} {key}", [part])
        swept = (worker, opened, 0, sweep + 1, key, [part], None)
        new = timed("documents", tasks._swept, *swept)
        timed("write", tasks.write_topics, worker.folder, plan, 0, sweep + 1 + number, *new)
        timed("facts", tasks.shard_facts, opened.corpus, plan, *new)
    forget_run(plan.run)
    of = {name: statistics.median(times[1:]) for name, times in seconds.items()}
    cells, shard = plan.n_words * plan.n_topics, plan.corpus.shards[0]
    print(f"a  CPU seconds for one shard, {shard.n_tokens:,} tokens\n")
    print(table(list(of), [[f"{value:.3f}" for value in of.values()]]), flush=True)
    return Costs(
        documents=(of["documents"] - of["read topics"]) / shard.n_tokens,
        shard=(of["count"] + of["write"] + of["facts"]) / shard.n_tokens,
        opening=(of["open"] + of["read topics"]) / shard.n_tokens,
        gammas=of["gammas"] / cells,
        putting_together=(of["finish"] + of["table"]) / cells,
        adding=(of["add up"] + of["words"]) / ADDED_AT_ONCE / counts.topics.size,
        filled=counts.topics.size,
    )


def of_dask() -> tuple[float, float]:
    """Return the CPU seconds of two workers for a byte that goes from one to the other.

    And those for a task that does nothing.
    """
    n_bytes, n_tasks = 10**8, 400
    with local_cluster(2) as cluster, Client(cluster) as client:
        one, other = client.nthreads()
        found = []
        for number in range(ROUNDS + 1):
            data = client.submit(_numbers, n_bytes, number, workers=[one])
            wait([data])
            start = sum(client.run(time.process_time).values())
            wait([client.submit(len, data, workers=[other])])
            found.append(sum(client.run(time.process_time).values()) - start)
        start = sum(client.run(time.process_time).values())
        wait([client.submit(len, (), key=f"nothing-{i}") for i in range(n_tasks)])
        of_task = (sum(client.run(time.process_time).values()) - start) / n_tasks
    return statistics.median(found[1:]) / n_bytes, of_task


def _numbers(n_bytes: int, seed: int) -> np.ndarray:
    """Return numbers that are not alike, which compression would make small."""
    return np.random.default_rng(seed).random(n_bytes // 8)


# --- b


@dataclass(frozen=True)
class Measured:
    """What was found on some workers; 0 of them are one process out of core."""

    n_workers: int
    start: float
    """Seconds before the first sweep."""
    wall: float
    cpu: float
    """Of a sweep."""
    peak: int
    limit: int
    fitted: ShardedFit


@contextmanager
def watched(cpu: Callable[[], float]) -> Iterator[list[tuple[float, float]]]:
    """Give time and CPU time at the start of the first sweep and after every sweep."""
    seen: list[tuple[float, float]] = []
    sweep = ShardedRun._sweep

    def timed(run: ShardedRun, one: Any) -> None:
        if not seen:
            seen.append((time.perf_counter(), cpu()))
        sweep(run, one)
        seen.append((time.perf_counter(), cpu()))

    with patch.object(ShardedRun, "_sweep", timed):
        yield seen


def measured(options: argparse.Namespace, corpus: Path, n_workers: int, folder: Path) -> Measured:
    """Fit on so many workers; return seconds of a sweep, and peak memory."""
    settings: dict[str, Any] = {"alpha": ALPHA, "beta": BETA, "burn_in": 0}
    settings["thin"] = min(THIN, options.sweeps)
    settings |= {"init": "variational", "keep_draws": False, "progress": False}
    settings |= {"checkpoint": folder, "n_sweeps": options.sweeps}
    if options.quick:
        settings["thin"] = 1
    begun = time.perf_counter()
    if n_workers == 0:
        memory.reset_peak()
        with watched(time.process_time) as seen:
            done = fit(None, corpus, options.topics, out_of_core=True, n_jobs=1, **settings)
        return _measured(n_workers, begun, seen, memory.peak(), 0, done)
    limit = int(options.memory * 1e9) if options.memory else 0
    with local_cluster(n_workers, limit or "auto") as cluster, Client(cluster) as client:

        def cpu() -> float:
            return sum(client.run(time.process_time).values())

        with watched(cpu) as seen:
            done = fit(client, corpus, options.topics, **settings)
        # Not what getrusage says: there a new process begins with what its parent had.
        peak = max(client.run(memory.peak).values())
    return _measured(n_workers, begun, seen, peak, limit, done)


def _measured(
    n_workers: int,
    begun: float,
    seen: list[tuple[float, float]],
    peak: int,
    limit: int,
    done: ShardedFit,
) -> Measured:
    wall, cpu = (np.diff(column)[1:] for column in zip(*seen, strict=True))
    start = seen[0][0] - begun
    return Measured(
        n_workers, start, float(np.median(wall)), float(np.median(cpu)), peak, limit, done
    )


def row(found: Measured, cost: Costs, n_topics: int) -> list[str]:
    corpus, n_workers = found.fitted.corpus, found.n_workers
    phi = 8 * padded_length(n_topics) * corpus.n_words
    streamed, expected = _streamed(found, n_topics), found.peak
    n_sent = found.fitted.bytes_sent
    by_formula = cost.of_sweep(corpus, n_topics, n_workers, streamed, n_sent)
    if n_workers:
        expected = worker_bytes(corpus, n_topics, n_workers, limit=found.limit)
    else:
        expected = process_bytes(corpus, n_topics) + sum(map(shard_bytes, corpus.shards))
    return [
        str(n_workers),
        f"{found.start:.0f}",
        f"{found.wall:.1f}",
        f"{found.cpu:.1f}",
        f"{by_formula:.1f}",
        f"{found.cpu / by_formula:.2f}",
        f"{streamed:.2f}",
        f"{found.fitted.bytes_sent / MB:,.0f}",
        f"{found.fitted.bytes_of_counts[-1] / MB:,.0f}",
        f"{max(0, n_workers - 1) * phi / MB:,.0f}",
        f"{found.peak / MB:,.0f}",
        f"{expected / MB:,.0f}",
    ]


def _streamed(found: Measured, n_topics: int) -> float:
    """Return the share of tokens in shards that workers have no room for."""
    corpus = found.fitted.corpus
    room = room_for_shards(found.limit, least_bytes(corpus, n_topics))
    if room is None:
        return 0.0
    stay = found.n_workers * (room // shard_bytes(corpus.shards[0]))
    return max(0.0, 1 - stay / len(corpus.shards))


HEADER = [
    "workers",
    "s to the first sweep",
    "s a sweep",
    "CPU s a sweep",
    "by the formula",
    "ratio",
    "share read again",
    "MB between workers",
    "MB of counts",
    "MB of φ, (W − 1) 8 V K",
    "peak MB of a worker",
    "by the formula",
]


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = sharded(options, folder / "corpus")
        print(
            f"{corpus.n_docs:,} documents, {corpus.words.n_words:,} words, {corpus.n_tokens:,} "
            f"tokens in {len(corpus.shards)} shards, K = {options.topics}; {machine()} a worker\n",
            flush=True,
        )
        found = []
        for n in options.workers:
            found.append(measured(options, folder / "corpus", n, folder / f"run-{n}"))
            print(f"{n} workers: {found[-1].wall:.1f} s, {found[-1].cpu:.1f} CPU s", flush=True)
        cost = costs(options, found[-1].fitted)
        if not options.quick:  # it starts one more cluster
            moving, task = of_dask()
            cost = replace(cost, moving=moving, task=task)
        print(
            f"\nmoved between two workers: {1e9 * cost.moving:.1f} CPU ns a byte; "
            f"{1e3 * cost.task:.2f} ms a task; {1e9 * cost.adding:.1f} ns a count that is added, "
            f"{cost.filled:,} in a shard",
            flush=True,
        )
        print("\nb\n\n" + table(HEADER, [row(one, cost, options.topics) for one in found]))


if __name__ == "__main__":
    main()
