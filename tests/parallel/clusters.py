"""Corpora in shards, clusters of real processes, and what goes wrong with them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import distributed
import numpy as np

import blocklda
from tests.cli.terminal import run

N_TOPICS = 12
SETTINGS = {"n_sweeps": 6, "burn_in": 2, "thin": 2, "seed": 3}


def corpus(n_docs: int = 1100, n_words: int = 300, seed: int = 0) -> blocklda.Corpus:
    """Return documents of about 220 tokens, enough for several pieces, some of them empty."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(n_words, 0.1), size=8)
    mixtures = rng.dirichlet(np.full(8, 0.2), size=n_docs)
    lengths = rng.integers(0, 440, size=n_docs) * (rng.random(n_docs) > 0.02)
    counts = np.stack(
        [rng.multinomial(n, p / p.sum()) for n, p in zip(lengths, mixtures @ shares, strict=True)]
    )
    names = [f"document {d}" for d in range(n_docs)]
    return blocklda.Corpus.from_matrix(counts, [f"w{v}" for v in range(n_words)], doc_names=names)


def cut(whole: blocklda.Corpus, ends: Sequence[int]) -> list[blocklda.Corpus]:
    """Return shards that end wherever one likes."""
    rows = [0, *ends, whole.n_docs]
    matrix, names = whole.to_matrix(), whole.doc_names
    return [
        blocklda.Corpus.from_matrix(
            matrix[first:last],
            whole.vocabulary,
            doc_names=None if names is None else names[first:last],
        )
        for first, last in pairwise(rows)
    ]


def on_one_machine(
    whole: blocklda.Corpus, n_sweeps: int, shards: Sequence[int] = (), **settings: object
) -> tuple[blocklda.Chain, list[float]]:
    """Return the chain that a fit on shards must be equal to, and its log posteriors."""
    settings = {"n_topics": N_TOPICS, "seed": 3, "sampler": "partially-collapsed", **settings}
    chain = blocklda.Chain(whole, shards=shards, **settings)
    levels = []
    for _ in range(n_sweeps):
        chain.sweep()
        levels.append(chain.log_posterior())
    return chain, levels


def fit_json(*arguments: object) -> Any:
    """Run a fit with --json on a corpus that has empty documents, of which it tells once."""
    result = run("fit", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == "" or "documents are empty" in result.stderr
    return json.loads(result.stdout)


class Killer(threading.Thread):
    """Kills a worker process in the middle of each of some sweeps: some shards done, some not."""

    def __init__(
        self, cluster: distributed.LocalCluster, folder: Path, sweeps: Sequence[int]
    ) -> None:
        super().__init__(daemon=True)
        self._cluster, self._folder, self._sweeps = cluster, folder, sweeps
        self.shards_done: list[int] = []
        """How many shards had ended the sweep at each kill."""

    def run(self) -> None:
        for sweep in self._sweeps:
            while not (self._n_done(sweep) and (pids := self._pids())):
                time.sleep(0.001)
            self.shards_done.append(self._n_done(sweep))
            os.kill(pids[len(self.shards_done) % len(pids)], signal.SIGKILL)

    def _pids(self) -> list[int]:
        """Return the workers at work: Dask gives up one that is killed before it has begun."""
        known, running = self._cluster.scheduler.workers, distributed.Status.running
        return [
            nanny.pid
            for nanny in self._cluster.workers.values()
            if nanny.pid and nanny.status == running and nanny.process.status == running
            if nanny.worker_address in known
        ]

    def _n_done(self, sweep: int) -> int:
        return len(list(self._folder.glob(f"topics-*-{sweep:06d}.npz")))


class Stopper(threading.Thread):
    """Stops a worker in the middle of a sweep, and lets it go on after some seconds."""

    def __init__(
        self, client: distributed.Client, folder: Path, sweep: int, seconds: float
    ) -> None:
        super().__init__(daemon=True)
        self._pid = next(iter(client.run(os.getpid).values()))
        self._files, self._folder, self._seconds = f"topics-*-{sweep:06d}.npz", folder, seconds

    def run(self) -> None:
        while not list(self._folder.glob(self._files)):
            time.sleep(0.001)
        os.kill(self._pid, signal.SIGSTOP)
        time.sleep(self._seconds)
        os.kill(self._pid, signal.SIGCONT)


@contextmanager
def command(*arguments: object, python_path: str | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a Dask command in a process of its own, which is gone at the end."""
    environment = dict(os.environ)
    if python_path is not None:
        environment["PYTHONPATH"] = python_path
    process = subprocess.Popen(
        [sys.executable, "-m", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a scheduler on loopback; give its process and its address."""
    file = folder / "scheduler.json"
    arguments = ("--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--scheduler-file", file)
    with command("distributed.cli.dask_scheduler", *arguments) as process:
        for _ in range(600):
            if file.exists() and file.read_text():
                break
            time.sleep(0.05)
        yield process, json.loads(file.read_text())["address"]


def worker(address: str, python_path: str | None = None) -> object:
    """Run a worker of a scheduler."""
    arguments = ("--no-nanny", "--no-dashboard", "--nthreads", 1, "--host", "127.0.0.1")
    return command("distributed.cli.dask_worker", address, *arguments, python_path=python_path)
