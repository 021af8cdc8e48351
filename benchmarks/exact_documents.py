"""How far one call of `transform` is off on short documents, and what summing exactly costs.

Documents of different words from simulated topics, 16 draws of φ, as after a fit. For each α and
length: whether the library sums θ exactly, the error of the largest θ_dk if it were sampled, on
average and at worst, and the CPU time of the exact sum ÷ that of sampling.
"""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import replace

import numpy as np

import blocklda
from benchmarks.harness import arguments, machine, table
from blocklda.models.lda.new_documents.fold_in import Folding
from blocklda.models.lda.new_documents.infer import N_SWEEPS

N_TOPICS, N_WORDS, N_PHI = 20, 60, 16
ALPHAS = (0.01, 0.03, 0.1, 0.3)
LENGTHS = (8, 9, 10, 11, 12, 13)


def folding(n_tokens: int, alpha: float, rng: np.random.Generator) -> Folding:
    """Return how one document of different words is folded in."""
    mean = rng.dirichlet(np.full(N_WORDS, 0.3), N_TOPICS) + 1e-4
    draws = mean * rng.gamma(20.0, 1 / 20, (N_PHI, N_TOPICS, N_WORDS))
    phis = list(draws / draws.sum(axis=2, keepdims=True))
    counts = np.zeros((1, N_WORDS), dtype=int)
    counts[0, rng.permutation(N_WORDS)[:n_tokens]] = 1
    corpus = blocklda.Corpus.from_matrix(counts)
    seed = int(rng.integers(2**31))
    return Folding.create(corpus, phis, np.full(N_TOPICS, alpha), N_SWEEPS, 0, seed, "native", 1)


def row(n_tokens: int, alpha: float, n_docs: int) -> list[str]:
    """Return the row of one length and one α."""
    rng = np.random.default_rng([n_tokens, round(1000 * alpha)])
    errors, seconds = [], {"exact": 0.0, "sampled": 0.0}
    for _ in range(n_docs):
        plan = folding(n_tokens, alpha, rng)
        theta = {}
        for name, most in (("exact", 2**n_tokens), ("sampled", 0)):
            start = time.process_time()
            theta[name] = replace(plan, most_states=most).mean_theta()
            seconds[name] += time.process_time() - start
        errors.append(float(np.abs(theta["exact"] - theta["sampled"]).max()))
    return [
        f"{alpha}",
        f"{n_tokens}",
        "exact" if 2**n_tokens <= plan.most_states else "sampled",
        f"{statistics.mean(errors):.3f}",
        f"{max(errors):.2f}",
        f"{seconds['exact'] / max(seconds['sampled'], math.ulp(1)):.1f}",
    ]


def main() -> None:
    """Print a row for each α and length."""
    options = arguments(__doc__)
    alphas, lengths, n_docs = (ALPHAS, LENGTHS, 40)
    if options.quick:
        alphas, lengths, n_docs = (0.01, 0.3), (4, 9), 2
    print(machine(), end="\n\n")
    header = ["α", "tokens", "by default", "mean error if sampled", "worst", "exact ÷ sampled"]
    print(table(header, [row(n, alpha, n_docs) for alpha in alphas for n in lengths]))


if __name__ == "__main__":
    main()
