"""A corpus of NYTimes's shape and size in shards, on 1 and 2 local workers: time, bytes, memory.

a  what the tasks of a sweep take for one shard, in this process: the constants of
   docs/explanation/scaling.md.
b  sweeps on workers of one thread each, beside what the formulas give for them. Every fourth sweep
   is kept, as by default. A run is taken up twice for different numbers of sweeps, so that what
   taking it up costs falls out of the time of a sweep.

Sweeps start from the topics that the tokens were drawn from.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client

import blocklda
from benchmarks import memory, newswire
from benchmarks.harness import machine, table
from blocklda.files.sharded_corpus import ShardedCorpus, Words, write_manifest, write_shard
from blocklda.models.lda.priors import padded_length
from blocklda.models.lda.samplers.sweep_streams import sweep_key
from blocklda.parallel import ShardedFit, fit, tasks
from blocklda.parallel.clients import local_cluster
from blocklda.parallel.shard_memory import worker_bytes
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
    add("--topics", type=int, default=newswire.N_TOPICS, help="K (default: that of the corpus)")
    add("--shards", type=int, default=12, help="shards (default: 12)")
    add("--sweeps", type=int, default=2 * THIN, help=f"sweeps to time (default: {2 * THIN})")
    add("--workers", type=int, nargs="+", default=[1, 2], help="how many (default: 1 2)")
    options = parser.parse_args()
    if options.quick:
        options.documents, options.topics, options.shards, options.sweeps = 200, 200, 4, 1
        options.workers = [1]
    return options


def sharded(options: argparse.Namespace, folder: Path) -> tuple[ShardedCorpus, Any]:
    """Draw the corpus and write it in shards; return it with the true topics."""
    n_words = 500 if options.quick else newswire.N_WORDS
    drawn = newswire.draw(options.documents, n_words=n_words)
    corpus = drawn.corpus
    folder.mkdir()
    ends = [corpus.n_docs * i // options.shards for i in range(options.shards + 1)]
    rows = corpus.to_matrix().tocsr()
    shards = [
        write_shard(folder, i, blocklda.Corpus.from_matrix(rows[ends[i] : ends[i + 1]]))
        for i in range(options.shards)
    ]
    return write_manifest(folder, Words.of(corpus), shards), drawn.topics


# --- a


@dataclass(frozen=True)
class Costs:
    """Seconds of the tasks of a sweep."""

    documents: float
    """Of a token given φ."""
    shard: float
    """Of a shard beside that: topics counted by words and by documents, and written."""
    gammas: float
    """Of a number φ_kv that is drawn."""
    putting_together: float
    """Of a number φ_kv in every worker: divided by its total, and put into one table."""

    def of_sweep(self, corpus: ShardedCorpus, n_topics: int, n_workers: int) -> float:
        """Return the seconds of a sweep by the formula."""
        cells = corpus.n_words * n_topics
        return (
            self.documents * corpus.n_tokens / n_workers
            + self.shard * len(corpus.shards) / n_workers
            + self.gammas * cells / n_workers
            + self.putting_together * cells
        )


def costs(options: argparse.Namespace, run: ShardedFit) -> Costs:
    """Time the tasks of a sweep in this process, on the first shard of a run that is done."""
    plan, place = run._plan, RunPlace(str(run.folder), run._plan.run)
    key, sweep, span = sweep_key(np.random.default_rng(0)), run.n_sweeps, (0, len(plan.words))
    seconds: dict[str, list[float]] = {}

    def timed(name: str, do: Callable[..., Any], *given: Any) -> Any:
        start = time.perf_counter()
        result = do(*given)
        seconds.setdefault(name, []).append(time.perf_counter() - start)
        return result

    for number in range(ROUNDS + 1):
        counts = timed("counts", tasks.count_words, place, 0, sweep, span)
        sums = timed("gammas", tasks.draw_words, place, span, key, counts)
        totals = tasks.topic_totals(place, key, [sums])
        part = timed("finish", tasks.finish_words, place, span, key, counts, totals)
        worker = tasks.memory_of(place)
        timed("table", worker.phi, str(number), [part])
        new = timed("documents", tasks._swept, worker, 0, sweep + 1, key, [part])
        timed("write", tasks.write_topics, worker.folder, plan, 0, sweep + 1, *new)
        timed("facts", tasks._facts, worker, 0, *new)
    forget_run(plan.run)
    of = {name: statistics.median(times[1:]) for name, times in seconds.items()}
    cells, shard = plan.n_words * plan.n_topics, plan.corpus.shards[0]
    print(f"a  seconds for one of {options.shards} shards, {shard.n_tokens:,} tokens\n")
    print(table(list(of), [[f"{value:.3f}" for value in of.values()]]), flush=True)
    return Costs(
        documents=(of["documents"] - of["table"]) / shard.n_tokens,
        shard=of["counts"] + of["write"] + of["facts"],
        gammas=of["gammas"] / cells,
        putting_together=(of["finish"] + of["table"]) / cells,
    )


# --- b


@dataclass(frozen=True)
class Measured:
    """What was found on some workers."""

    n_workers: int
    taking_up: float
    sweep: float
    sent: float
    counts: float
    peak: int
    task: float
    """Seconds that Dask takes for a task that does nothing."""
    fitted: ShardedFit


def measured(
    options: argparse.Namespace, corpus: Path, topics: Any, n_workers: int, folder: Path
) -> Measured:
    """Fit on so many workers; return seconds and bytes of a sweep, and peak memory."""
    settings: dict[str, Any] = {"alpha": ALPHA, "beta": BETA, "burn_in": 0, "thin": THIN}
    settings |= {"init": topics, "keep_draws": False, "progress": False, "checkpoint": folder}
    with local_cluster(n_workers) as cluster, Client(cluster) as client:

        def run_to(n_sweeps: int) -> tuple[float, ShardedFit]:
            """Take the run up in new processes and go on; return the seconds of that."""
            client.restart()
            start = time.perf_counter()
            fitted = fit(client, corpus, options.topics, n_sweeps=n_sweeps, **settings)
            return time.perf_counter() - start, fitted

        _, begun = run_to(THIN)
        wall, first = run_to(THIN + 1)
        _, more = run_to(THIN + 2 + options.sweeps)
        # The first sweep after taking a run up opens the shards; it is in both.
        of_first = first.seconds - begun.seconds
        seconds = (more.seconds - first.seconds - of_first) / options.sweeps
        overhead = _seconds_of_a_task(client, 80 if options.quick else 1000)
        # Not what getrusage says: there a new process begins with what its parent had.
        peak = max(client.run(memory.peak).values())
    return Measured(
        n_workers,
        wall - seconds,
        seconds,
        more.bytes_sent,
        more.bytes_of_counts[-1],
        peak,
        overhead,
        more,
    )


def _seconds_of_a_task(client: Client, n: int) -> float:
    """Return what Dask itself takes for a task, of which most have one that depends on eight."""
    start = time.perf_counter()
    ones = [client.submit(_nothing, i, pure=False) for i in range(n)]
    eights = [client.submit(_nothing, ones[i : i + 8], pure=False) for i in range(0, n, 8)]
    client.gather(eights)
    return (time.perf_counter() - start) / (len(ones) + len(eights))


def _nothing(_: object) -> None:
    return None


def row(found: Measured, cost: Costs, n_topics: int) -> list[str]:
    corpus, n_workers = found.fitted.corpus, found.n_workers
    phi = 8 * padded_length(n_topics) * corpus.n_words
    return [
        str(n_workers),
        f"{found.taking_up:.1f}",
        f"{found.sweep:.1f}",
        f"{cost.of_sweep(corpus, n_topics, n_workers):.1f}",
        f"{corpus.n_tokens / found.sweep / 1e6:.1f}",
        f"{found.sent / MB:,.0f}",
        f"{found.counts / MB:,.0f}",
        f"{(n_workers - 1) * phi / MB:,.0f}",
        f"{found.peak / MB:,.0f}",
        f"{worker_bytes(corpus, n_topics, n_workers) / MB:,.0f}",
        f"{1e3 * found.task:.1f}",
    ]


HEADER = [
    "workers",
    "s to take it up",
    "s a sweep",
    "by the formula",
    "M tokens/s",
    "MB between workers",
    "MB of counts",
    "MB of φ, (W − 1) 8 V K",
    "peak MB of a worker",
    "by the formula",
    "ms of Dask's for a task",
]


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus, topics = sharded(options, folder / "corpus")
        print(
            f"{corpus.n_docs:,} documents, {corpus.words.n_words:,} words, {corpus.n_tokens:,} "
            f"tokens in {len(corpus.shards)} shards, K = {options.topics}; {machine()} a worker\n"
        )
        found = [
            measured(options, folder / "corpus", topics, n, folder / f"run-{n}")
            for n in options.workers
        ]
        cost = costs(options, found[0].fitted)
        print("\nb\n\n" + table(HEADER, [row(one, cost, options.topics) for one in found]))


if __name__ == "__main__":
    main()
