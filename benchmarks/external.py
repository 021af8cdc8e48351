"""Programs that are not Python packages, run as processes where a path to them is given.

They cannot be stopped and gone on with, so every point of their curves is a run of its own.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.contenders import ALPHA, BETA, Point, Task, judge

CHECKPOINTS = (10, 25, 50, 100, 200, 400, 800)


class Program(ABC):
    """A program that reads a file of documents and writes the topic of every token."""

    name: str

    def __init__(self, path: Path, task: Task, folder: Path) -> None:
        self.path, self.task, self.folder = path, task, folder
        self.documents = task.documents()
        text = "".join(f"d{i} x {' '.join(words)}\n" for i, words in enumerate(self.documents))
        (folder / "documents.txt").write_text(text, encoding="utf-8")
        self.set_up()

    @abstractmethod
    def set_up(self) -> None:
        """Turn the documents into the program's own format."""

    @abstractmethod
    def run(self, sweeps: int) -> float:
        """Sweep from a random start; return the seconds spent on sweeps."""

    @abstractmethod
    def assignments(self) -> np.ndarray:
        """Return one topic per token, in the order of the training corpus."""

    def curve(self, seconds: float) -> Iterator[Point]:
        """Yield points until the time is used up."""
        task = self.task
        for sweeps in CHECKPOINTS:
            taken = self.run(sweeps)
            yield Point(
                self.name,
                task.corpus_name,
                task.n_topics,
                task.seed,
                "one state",
                taken,
                sweeps,
                *judge(task, self.assignments(), sweeps),
            )
            if taken > seconds:
                return

    def call(self, *arguments: object) -> str:
        one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
        command = [str(argument) for argument in arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=one_thread, check=True, capture_output=True, text=True
        )
        return done.stdout


class Mallet(Program):
    """MALLET; the path is that of `bin/mallet`. Its clock is the process less one of 0 sweeps."""

    name = "MALLET"

    def set_up(self) -> None:
        self.call(
            self.path,
            "import-file",
            "--input",
            "documents.txt",
            "--output",
            "documents.mallet",
            "--keep-sequence",
            "--token-regex",
            r"\S+",
        )
        self.overhead = self._seconds(0)

    def run(self, sweeps: int) -> float:
        return self._seconds(sweeps) - self.overhead

    def _seconds(self, sweeps: int) -> float:
        start = time.perf_counter()
        self.call(
            self.path,
            "train-topics",
            "--input",
            "documents.mallet",
            "--num-topics",
            self.task.n_topics,
            "--alpha",
            ALPHA * self.task.n_topics,  # it takes the sum
            "--beta",
            BETA,
            "--optimize-interval",
            0,
            "--num-threads",
            1,
            "--num-iterations",
            sweeps,
            "--random-seed",
            self.task.seed + 1,
            "--output-state",
            "state.gz",
        )
        return time.perf_counter() - start

    def assignments(self) -> np.ndarray:
        # document, source, position, number of the word, word, topic; comments begin with #
        with gzip.open(self.folder / "state.gz", "rt", encoding="utf-8") as file:
            tokens = [line.split() for line in file if not line.startswith("#")]
        if [token[4] for token in tokens] != [w for doc in self.documents for w in doc]:
            raise RuntimeError("MALLET's state has other tokens than the training corpus.")
        return np.array([token[5] for token in tokens], dtype=np.int32)


class WarpLda(Program):
    """WarpLDA; the path is that of `warplda`, with `format` beside it. It prints its own times."""

    name = "WarpLDA"

    def set_up(self) -> None:
        self.call(self.path.with_name("format"), "-input", "documents.txt", "-prefix", "documents")

    def run(self, sweeps: int) -> float:
        said = self.call(
            self.path,
            "--prefix",
            "documents",
            "--k",
            self.task.n_topics,
            "--alpha",
            ALPHA * self.task.n_topics,  # it takes the sum
            "--beta",
            BETA,
            "--niter",
            sweeps,
        )
        return sum(float(seconds) for seconds in re.findall(r"Iteration \d+, ([\d.e-]+) s", said))

    def assignments(self) -> np.ndarray:
        vocabulary = (self.folder / "documents.vocab").read_text(encoding="utf-8").split()
        ours = np.array([int(word[1:]) for word in vocabulary])
        topics = []
        with (self.folder / "documents.z.estimate").open(encoding="utf-8") as file:
            for line in file:
                pairs = np.array([pair.split(":") for pair in line.split()[1:]], dtype=np.int64)
                # Its tokens are in another order; within a document ours are ordered by word.
                topics.append(pairs[np.argsort(ours[pairs[:, 0]], kind="stable"), 1])
        return np.concatenate(topics).astype(np.int32)


PROGRAMS: dict[str, type[Program]] = {"MALLET": Mallet, "WARPLDA": WarpLda}
"""By the environment variable that holds the path."""
