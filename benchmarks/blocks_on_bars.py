"""Sweeps out of random starts on the bars: blocked samplers against single-site, corpus by corpus.

Ten corpora, so that one lucky corpus is not taken for a rule (docs/tutorials/samplers.md).
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.harness import machine, table
from blocklda import simulate
from blocklda.evaluate import compare_samplers

SAMPLERS = ("augmented", "single-site", "backward", "nested")
BLOCKED = ("backward", "nested")


def medians(n_docs: int, seed: int, n_sweeps: int, n_starts: int) -> dict[str, float]:
    """Return the median over starts of the sweeps to the log posterior that all samplers reach."""
    comparison = compare_samplers(
        simulate.bars(n_docs=n_docs, seed=seed).corpus,
        SAMPLERS,
        n_topics=10,
        n_sweeps=n_sweeps,
        n_starts=n_starts,
        seed=1,
    )
    sweeps = comparison.sweeps_to_common_level()
    return dict(zip(SAMPLERS, np.median(sweeps, axis=1).tolist(), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    quick = parser.parse_args().quick
    sizes, seeds = ([20], [0]) if quick else ([150, 300], range(5))
    n_sweeps, n_starts = (5, 2) if quick else (60, 6)
    found = {
        (n_docs, seed): medians(n_docs, seed, n_sweeps, n_starts)
        for n_docs in sizes
        for seed in seeds
    }
    print(machine(), end="\n\n")
    rows = [
        [f"{n_docs} documents, seed {seed}", *(f"{of[name]:.1f}" for name in SAMPLERS)]
        for (n_docs, seed), of in found.items()
    ]
    print(table([f"median sweeps of {n_starts} starts", *SAMPLERS], rows), end="\n\n")
    for name in BLOCKED:
        fewer = sum(of[name] < of["single-site"] for of in found.values())
        print(f"{name} below single-site: {fewer} of {len(found)} corpora")


if __name__ == "__main__":
    main()
