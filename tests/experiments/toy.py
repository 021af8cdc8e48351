"""Studies that take seconds, on corpora that are drawn here."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import blocklda
from blocklda.evaluate.compare_result import Comparison
from blocklda.experiments.studies import MIXING, TIMING

SIMULATED = replace(
    MIXING["simulated"], n_docs=40, n_heldout_docs=10, n_starts=3, n_sweeps=6, window=2
)
KOS = replace(MIXING["kos"], n_topics=4, n_heldout_docs=5, n_starts=2, n_sweeps=4, window=2)
TIMED = replace(
    TIMING, topics=(2, 4), repeats=2, n_docs=None, twin_docs={"kos": 4, "nips": 3}, twin_repeats=1
)


class InThisProcess(Executor):
    """Does at once and here what a pool of processes does, and spares the imports of each."""

    def __init__(self, _: int, __: object, begin: Callable[..., None], about: tuple[Any, ...]):
        begin(*about)

    def submit(self, work: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*arguments))
        return future


def write_corpora(folder: Path) -> Path:
    """Write something called KOS and NIPS."""
    for seed, name in enumerate(("kos", "nips")):
        corpus = blocklda.simulate.bars(n_docs=30, doc_length=20, seed=seed).corpus
        blocklda.write_corpus(corpus, folder / f"docword.{name}.txt.gz")
    return folder


def comparison(levels: dict[str, list[float]], perplexities: dict[str, list[float]]) -> Comparison:
    """Return a comparison whose samplers stand at these levels from the first sweep on."""
    n_sweeps, window = 20, 5
    names = tuple(levels)
    level = np.array([levels[name] for name in names])
    curves = np.repeat(level[:, :, None], n_sweeps + 1, axis=2)
    curves[:, :, 0] = level.min() - 1e6
    last = np.array([perplexities[name] for name in names])
    return Comparison(
        samplers=names,
        n_topics=10,
        n_train_tokens=10_000,
        n_heldout_tokens=100,
        n_heldout_docs=10,
        window=window,
        seconds=np.tile(np.arange(n_sweeps + 1.0), (*level.shape, 1)),
        log_posterior=curves,
        perplexity=np.repeat(last[:, :, None], n_sweeps // window, axis=2),
    )
