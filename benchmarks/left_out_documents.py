"""Can LOO compare topic models? Pareto k of every document, on the first 400 documents of KOS.

A k above 0.7 means that the importance weights of a document are not reliable
(docs/how-to/posterior-checks.md).
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import blocklda
from benchmarks.harness import corpora, machine, table

UNRELIABLE = 0.7


def pareto_k(corpus: blocklda.Corpus, n_topics: int, n_draws: int) -> np.ndarray:
    """Return Pareto k of each document, with so many draws."""
    lda = blocklda.LDA(
        n_topics,
        burn_in=n_draws // 2,
        n_sweeps=n_draws // 2 + n_draws,
        thin=1,
        random_state=0,
        progress=False,
    ).fit(corpus)
    import arviz  # noqa: PLC0415 - it takes seconds

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what is measured here
        found = arviz.loo(lda.to_arviz(log_likelihood=True), pointwise=True)
    return np.asarray(found.pareto_k)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    quick = parser.parse_args().quick
    n_docs, n_draws, numbers = (20, 16, [3]) if quick else (400, 512, [5, 40])
    (name, corpus), *_ = corpora(quick).items()
    some = blocklda.Corpus.from_matrix(corpus.to_matrix()[:n_docs])
    rows = []
    for n_topics in numbers:
        k = pareto_k(some, n_topics, n_draws)
        rows.append([f"{name}, K={n_topics}", f"{(k > UNRELIABLE).mean():.1%}", f"{k.min():.2f}"])
    print(machine(), end="\n\n")
    print(table(["model", f"documents with k above {UNRELIABLE}", "least k"], rows))


if __name__ == "__main__":
    main()
