"""A corpus of NYTimes's shape and size in shards, on 1 and 2 local workers: time, bytes, memory.

Beside what was measured stands what the formulas of docs/scaling.md give for it. Workers have one
thread each. Sweeps start from the topics that the tokens were drawn from. A run is taken up twice
for different numbers of sweeps, so that what taking it up costs falls out of the time of a sweep.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

import blocklda
from benchmarks import newswire
from benchmarks.harness import machine, table
from blocklda.files.sharded_corpus import ShardedCorpus, Words, write_manifest, write_shard
from blocklda.parallel import fit
from blocklda.priors import padded_length

ALPHA, BETA = 0.1, 0.01
MB = 1e6


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="toy sizes, to see that it runs")
    add("--documents", type=int, default=300_000, help="documents to draw (default: 300,000)")
    add("--topics", type=int, default=newswire.N_TOPICS, help="K (default: that of the corpus)")
    add("--shards", type=int, default=12, help="shards (default: 12)")
    add("--sweeps", type=int, default=5, help="sweeps that are timed (default: 5)")
    options = parser.parse_args()
    if options.quick:
        options.documents, options.topics, options.shards, options.sweeps = 200, 200, 4, 1
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


def measured(
    options: argparse.Namespace, corpus: Path, topics: Any, n_workers: int, folder: Path
) -> list[str]:
    """Fit on so many workers; return seconds and bytes of a sweep, and peak memory."""
    cluster = LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=None,
    )
    with cluster, Client(cluster) as client:
        settings: dict[str, Any] = {"alpha": ALPHA, "beta": BETA, "thin": 1, "progress": False}
        settings |= {"init": topics, "keep_draws": False, "checkpoint": folder}

        def run_to(n_sweeps: int) -> tuple[float, int, Any]:
            """Take the run up and go on; return seconds and bytes, and the fit."""
            before = sum(client.run(_sent).values())
            start = time.perf_counter()
            fitted = fit(client, corpus, options.topics, n_sweeps=n_sweeps, burn_in=0, **settings)
            seconds = time.perf_counter() - start
            return seconds, sum(client.run(_sent).values()) - before, fitted

        run_to(1)
        for_one, sent_for_one, _ = run_to(2)
        for_all, sent_for_all, more = run_to(3 + options.sweeps)
        seconds = (for_all - for_one) / options.sweeps
        sent = (sent_for_all - sent_for_one) / options.sweeps
        peak = max(client.run(_peak).values())
    phi = 8 * padded_length(options.topics) * more.corpus.words.n_words
    return [
        str(n_workers),
        f"{for_one - seconds:.1f}",
        f"{seconds:.1f}",
        f"{more.corpus.n_tokens / seconds / 1e6:.1f}",
        f"{sent / MB:,.0f}",
        f"{more.bytes_of_counts[-1] / MB:,.0f}",
        f"{(n_workers - 1) * phi / MB:,.0f}",
        f"{peak / MB:,.0f}",
    ]


def _sent(dask_worker: Any) -> int:
    return int(dask_worker.transfer_outgoing_bytes_total)


def _peak() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus, topics = sharded(options, folder / "corpus")
        print(
            f"{corpus.n_docs:,} documents, {corpus.words.n_words:,} words, {corpus.n_tokens:,} "
            f"tokens in {len(corpus.shards)} shards, K = {options.topics}; {machine()} a worker\n"
        )
        header = [
            "workers",
            "s to take it up",
            "s a sweep",
            "M tokens/s",
            "MB between workers",
            "MB of counts",
        ]
        header += ["MB of φ, (W − 1) 8 V K", "peak MB of a worker"]
        rows = [
            measured(options, folder / "corpus", topics, n, folder / f"run-{n}") for n in (1, 2)
        ]
        print(table(header, rows))


if __name__ == "__main__":
    main()
