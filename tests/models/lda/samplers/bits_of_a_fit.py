"""Fits small models and prints a digest of everything that came out: `python … N_JOBS BACKEND`."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

import blocklda
from blocklda.models.lda.samplers.grid import plan as grid_plan
from blocklda.models.lda.samplers.grid.sampler import GRID

LARGE_BLOCK = 1500
"""From 1,500 tokens on, products of a block are by FFT."""


def numbers_of_chains(corpus: blocklda.Corpus, backend: str) -> Iterator[tuple[str, object]]:
    """Yield the states that every sampler ends in."""
    lists = {name: partial(getattr(GRID, name), form="lists") for name in ("native", "python")}
    for sampler in (*blocklda.SAMPLERS, replace(GRID, **lists)):
        chain = blocklda.Chain(
            corpus, 3, sampler=sampler, backend=backend, init="variational", seed=3
        )
        chain.sweep()
        yield f"{sampler} topics", chain.assignments()
        yield f"{sampler} log posterior", chain.log_posterior()


def numbers_of_a_fit(corpus: blocklda.Corpus, n_jobs: int) -> Iterator[tuple[str, object]]:
    """Yield what a fit with learned priors tells."""
    lda = blocklda.LDA(
        12,
        learn_alpha="asymmetric",
        learn_beta="symmetric",
        learn_how="sampled",
        n_sweeps=12,
        burn_in=4,
        n_chains=2,
        n_jobs=n_jobs,
        random_state=5,
        progress=False,
    ).fit(corpus)
    yield from ((f"draw {i}", draw.topics) for i, draw in enumerate(lda.draws_))
    for name in ("doc_topic_", "components_", "alpha_", "beta_", "log_posterior_"):
        yield name, getattr(lda, name)
    trace = lda.result_.trace
    yield "trace sweeps", trace.sweeps
    yield "trace log_posterior", trace.log_posterior
    yield from ((f"trace {name}", values) for name, values in trace.values.items())
    yield "transform", lda.transform(corpus)
    yield "score", lda.score(corpus)
    yield "log_predictive", lda.log_predictive(corpus)
    for i, topic in enumerate(lda.topic_summaries(n_words=3)):
        yield f"summary {i}", str(topic)
    yield "diagnostics", str(lda.diagnostics()).replace(str(trace.seconds), "")


def main() -> None:
    """Print a line for each group of numbers, so that a difference can be found."""
    n_jobs, backend = int(sys.argv[1]), sys.argv[2]
    warnings.simplefilter("ignore")
    grid_plan.TOKENS_PER_CELL = 1  # several cells, small as the corpora are
    counts = np.random.default_rng(1).poisson(0.4, size=(40, 200))
    few = counts[:4, :6].copy()
    few[0, 0] = LARGE_BLOCK
    parts = {
        "chains": numbers_of_chains(blocklda.Corpus.from_matrix(few), backend),
        "fit": numbers_of_a_fit(blocklda.Corpus.from_matrix(counts), n_jobs),
    }
    for part, numbers in parts.items():
        for name, value in numbers:
            content = value.encode() if isinstance(value, str) else np.asarray(value).tobytes()
            digest = hashlib.sha256(content).hexdigest()
            sys.stdout.write(f"{part} {name} {digest}\n")


if __name__ == "__main__":
    main()
