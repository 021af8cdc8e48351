"""New documents of few tokens: the time of the exact sum against sampling, and errors of sampling.

φ are drawn uniformly, so that most words may come from several topics. The exact sum of longer
documents would take too long, so errors there are differences from many sweeps.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

import blocklda
from benchmarks.harness import alternate, machine, median_ratio, table
from blocklda.models.lda.new_documents.fold_in import Folding
from blocklda.models.lda.new_documents.infer import BURN_IN, N_SWEEPS
from blocklda.models.lda.new_documents.topic_draws import N_TOPIC_DRAWS

N_WORDS = 60
MANY = 200
"""So many times the default sweeps stand for the truth: their error is 1/14 of the default's."""


def random_topics(n_topics: int, seed: int) -> list[np.ndarray]:
    """Return φ of several draws, which differ a little."""
    rng = np.random.default_rng(seed)
    mean = rng.dirichlet(np.ones(N_WORDS), n_topics)
    return [
        np.array([rng.dirichlet(500 * row + 1e-2) for row in mean]) for _ in range(N_TOPIC_DRAWS)
    ]


def random_documents(
    topics: Sequence[np.ndarray], alpha: float, n_tokens: int, n_docs: int, *, repeat: bool
) -> blocklda.Corpus:
    """Return documents of the model; without `repeat` no word occurs twice in one."""
    rng = np.random.default_rng(n_tokens)
    rows = np.zeros((n_docs, N_WORDS), dtype=np.int64)
    for row in rows:
        theta = rng.dirichlet(np.full(len(topics[0]), alpha))
        words = rng.choice(N_WORDS, n_tokens, replace=repeat, p=theta @ topics[0])
        row[:] = np.bincount(words, minlength=N_WORDS)
    return blocklda.Corpus.from_matrix(rows)


def inferred(
    corpus: blocklda.Corpus,
    topics: Sequence[np.ndarray],
    alpha: float,
    *,
    n_sweeps: int = N_SWEEPS,
    most_states: int | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Return θ; with `most_states=0` every document is sampled."""
    folding = Folding.create(corpus, topics, alpha, n_sweeps, BURN_IN, seed, "native", None)
    if most_states is not None:
        folding = replace(folding, most_states=most_states)
    return folding.mean_theta()


def exact_sums(n_topics: int, n_docs: int, rounds: int) -> str:
    """Return a table: time of the exact sum ÷ sampling, and the errors that it avoids."""
    topics = random_topics(n_topics, 1)
    rows = []
    for n_tokens in (2, 4, 6, 8):
        corpus = random_documents(topics, 0.01, n_tokens, n_docs, repeat=False)
        contenders: dict[str, Callable[[], object]] = {
            "exact": partial(inferred, corpus, topics, 0.01),
            "sampled": partial(inferred, corpus, topics, 0.01, most_states=0),
        }
        seconds = alternate(contenders, rounds, time.process_time)
        error = np.abs(
            inferred(corpus, topics, 0.01) - inferred(corpus, topics, 0.01, most_states=0)
        )
        rows.append(
            [
                str(n_tokens),
                f"{median_ratio(seconds['exact'], seconds['sampled']):.1f}",
                f"{error.max():.2f}",
            ]
        )
    header = ["tokens", "CPU time, exact ÷ sampled", "largest error of θ, sampled, α = 0.01"]
    return table(header, rows)


def sampling_errors(n_docs: int, many: int) -> str:
    """Return a table: the largest error of θ_d of one call, averaged over documents."""
    topics = random_topics(4, 2)
    rows = []
    for n_tokens in (20, 50):
        row = [str(n_tokens)]
        for alpha, times in ((0.01, 1), (0.1, 1), (1.0, 1), (0.01, 16)):
            corpus = random_documents(topics, alpha, n_tokens, n_docs, repeat=True)
            truth = inferred(corpus, topics, alpha, n_sweeps=many * N_SWEEPS, seed=1)
            theta = inferred(corpus, topics, alpha, n_sweeps=times * N_SWEEPS, seed=2)
            row.append(f"{np.abs(theta - truth).max(axis=1).mean():.3f}")
        rows.append(row)
    header = ["tokens", "α = 0.01", "α = 0.1", "α = 1", "α = 0.01, 16 times the sweeps"]
    return table(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    quick = parser.parse_args().quick
    print(machine(), end="\n\n")
    n_topics = 10 if quick else 100
    print(f"K={n_topics}, {N_TOPIC_DRAWS} φ\n")
    print(exact_sums(n_topics, 5 if quick else 60, 1 if quick else 7), end="\n\n")
    print(f"K=4, {N_TOPIC_DRAWS} φ, Monte Carlo error of one call\n")
    print(sampling_errors(3 if quick else 60, 2 if quick else MANY))


if __name__ == "__main__":
    main()
