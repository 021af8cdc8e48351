"""Sweeps on two workers with a slow network between them: where moving φ overtakes computing.

Workers are processes of this machine. What one sends to the other goes through a proxy that lets
through so many bytes a second and delays what comes after a pause, as a network card and a distance
do; there is one proxy for each worker. Seconds of a sweep by bandwidth, beside those without a
limit plus what docs/explanation/scaling.md gives for the bytes: half of φ and of the counts for
each worker.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from distributed import Client

from benchmarks import newswire
from benchmarks.harness import machine, table
from benchmarks.shards import watched
from blocklda.formats.sharded import write_shards
from blocklda.models.lda.priors import padded_length
from blocklda.parallel import fit

CHUNK = 2**16
N_WORKERS = 2
MB = 1e6


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="toy sizes, to see that it runs")
    add("--documents", type=int, default=12_000, help="documents to draw (default: 12,000)")
    add("--words", type=int, default=20_000, help="words (default: 20,000)")
    add("--topics", type=int, default=200, help="K (default: 200)")
    add("--sweeps", type=int, default=6, help="sweeps; the first is not timed (default: 6)")
    add("--bandwidths", type=float, nargs="+", default=[100.0, 30.0, 10.0, 3.0], help="in MB/s")
    add("--latency", type=float, default=0.5, help="milliseconds (default: 0.5)")
    options = parser.parse_args()
    if options.quick:
        options.documents, options.words, options.sweeps = 200, 500, 3
        options.bandwidths = [10.0]
    return options


class SlowLink:
    """A proxy in front of a worker: what the worker answers is limited in speed."""

    def __init__(self, port: int, bandwidth: float, latency: float) -> None:
        self._port, self._bandwidth, self._latency = port, bandwidth, latency
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self.n_bytes = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                worker = socket.create_connection(("127.0.0.1", self._port))
                for source, target, is_slow in ((client, worker, False), (worker, client, True)):
                    given = (source, target, is_slow)
                    threading.Thread(target=self._forward, args=given, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, is_slow: bool) -> None:
        last = 0.0
        with suppress(OSError):
            while chunk := source.recv(CHUNK):
                if time.monotonic() - last > self._latency:
                    time.sleep(self._latency)
                if is_slow:
                    with self._lock:  # all connections share the line
                        self.n_bytes += len(chunk)
                        time.sleep(len(chunk) / self._bandwidth)
                target.sendall(chunk)
                last = time.monotonic()
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def _process(*arguments: object) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING": "False"},
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def cluster(folder: Path, bandwidth: float, latency: float) -> Iterator[tuple[Client, list[Any]]]:
    """Give a client of two workers behind slow links, and these."""
    file = folder / "scheduler.json"
    with ExitStack() as stack:
        own = ("--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file)
        stack.enter_context(_process("distributed.cli.dask_scheduler", *own))
        while not (file.exists() and file.read_text()):
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        links = []
        for _ in range(N_WORKERS):
            port = _free_port()
            link = SlowLink(port, bandwidth, latency)
            stack.callback(link.close)
            links.append(link)
            how = ("--no-nanny", "--no-dashboard", "--nthreads", 1)
            at = ("--listen-address", f"tcp://127.0.0.1:{port}", "--contact-address", link.address)
            stack.enter_context(_process("distributed.cli.dask_worker", address, *how, *at))
        client = stack.enter_context(Client(address, timeout=60, set_as_default=False))
        client.wait_for_workers(N_WORKERS, timeout=120)
        yield client, links


def seconds_of_a_sweep(
    options: argparse.Namespace, shards: Path, bandwidth: float
) -> tuple[float, float]:
    """Return the median seconds of a sweep, and the bytes that passed the links in one."""
    settings: dict[str, Any] = {"alpha": 0.1, "beta": 0.01, "burn_in": 0, "progress": False}
    settings |= {"thin": options.sweeps, "n_sweeps": options.sweeps, "keep_draws": False}
    with (
        tempfile.TemporaryDirectory() as name,
        cluster(Path(name), bandwidth, options.latency / 1e3) as (client, links),
        watched(time.perf_counter) as seen,
    ):
        fit(client, shards, options.topics, init="variational", **settings)
        n_bytes = sum(link.n_bytes for link in links) / options.sweeps
    ends = [wall for wall, _ in seen]
    return statistics.median(b - a for a, b in pairwise(ends[1:])), n_bytes


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory() as name:
        shards = Path(name) / "shards"
        drawn = newswire.draw(options.documents, n_words=options.words)
        corpus = write_shards(drawn.corpus, shards, 1 if options.quick else 4)
        phi = 8 * padded_length(options.topics) * corpus.n_words
        print(
            f"{corpus.n_tokens:,} tokens, {corpus.n_words:,} words, K = {options.topics}: φ has "
            f"{phi / MB:.0f} MB; {N_WORKERS} workers; {machine()} each\n",
            flush=True,
        )
        free, _ = seconds_of_a_sweep(options, shards, float("inf"))
        rows = [["no limit", f"{free:.2f}", "", "", ""]]
        for bandwidth in options.bandwidths:
            found, n_bytes = seconds_of_a_sweep(options, shards, bandwidth * MB)
            moving = n_bytes / N_WORKERS / (bandwidth * MB)
            numbers = [f"{found:.2f}", f"{n_bytes / MB:.0f}", f"{moving:.2f}"]
            rows.append([f"{bandwidth:g} MB/s", *numbers, f"{found / (free + moving):.2f}"])
        header = ["bandwidth", "s a sweep", "MB moved", "s to move half of it", "÷ sum of both"]
        print(table(header, rows))


if __name__ == "__main__":
    main()
