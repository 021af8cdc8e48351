"""Mixtures: sweeps per second against a plain-Python GSDMM, and what blocks of equal documents do.

Speed: made-up short texts of 300 kinds, half of their words common; both samplers from the same
labels, CPU time of one thread. The Python one is the movie group process as its packages have it:
a loop over clusters and words for every document; it is timed on the first documents of a sweep and
scaled by their number. Cost: the same documents over vocabularies of different sizes. Mixing:
documents of five kinds, 10 + 10 + 6 + 1 + 1 of them; autocorrelation times in sweeps, for several α
and β. `--part NAME` runs one of speed, cost and mixing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from arviz_stats.base import array_stats

import blocklda
from benchmarks.harness import machine, table

ALPHA, BETA = 0.1, 0.1
KINDS = ((4, 1, 0, 0, 0), (1, 4, 0, 0, 0), (0, 0, 3, 2, 0), (0, 0, 0, 3, 2), (3, 0, 0, 0, 2))
COPIES = (10, 10, 6, 1, 1)


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    n_docs: int
    n_words: int
    n_components: int
    n_python_docs: int
    n_sweeps: int
    n_mixing_sweeps: int


FULL = Size(100_000, 20_000, 300, 100, 2, 5_000)
QUICK = Size(1_000, 2_000, 20, 50, 2, 500)


def short_texts(size: Size, seed: int = 0) -> scipy.sparse.csr_matrix:
    """Return counts of texts of about eight words, half of them from their own kind."""
    rng = np.random.default_rng(seed)
    n_own = min(200, size.n_words)
    zipf = 1 / np.arange(1, n_own + 1)
    vocabularies = np.array(
        [rng.permutation(size.n_words)[:n_own] for _ in range(size.n_components)]
    )
    lengths = 2 + rng.poisson(6, size=size.n_docs)
    docs = np.repeat(np.arange(size.n_docs), lengths)
    kinds = rng.integers(size.n_components, size=size.n_docs)[docs]
    own = vocabularies[kinds, rng.choice(n_own, size=len(docs), p=zipf / zipf.sum())]
    common = np.minimum(rng.zipf(1.3, size=len(docs)), size.n_words) - 1
    words = np.where(rng.random(len(docs)) < 0.5, own, common)
    shape = (size.n_docs, size.n_words)
    return scipy.sparse.csr_matrix((np.ones(len(docs), dtype=np.int64), (docs, words)), shape)


class PlainGSDMM:
    """The movie group process in plain Python, one document at a time."""

    def __init__(self, X: scipy.sparse.csr_matrix, labels: np.ndarray, n_components: int) -> None:
        self.K, self.V = n_components, X.shape[1]
        self.documents = [
            np.repeat(X.indices[a:b], X.data[a:b]).tolist()
            for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
        ]
        self.labels = labels.tolist()
        self.sizes, self.totals = [0] * self.K, [0] * self.K
        self.counts: list[dict[int, int]] = [{} for _ in range(self.K)]
        for d, z in enumerate(self.labels):
            self.change(d, z, 1)
        self.rng = np.random.default_rng(1)

    def change(self, d: int, z: int, sign: int) -> None:
        self.sizes[z] += sign
        self.totals[z] += sign * len(self.documents[d])
        for w in self.documents[d]:
            self.counts[z][w] = self.counts[z].get(w, 0) + sign

    def visit(self, d: int) -> None:
        self.change(d, self.labels[d], -1)
        weights = []
        for z in range(self.K):
            weight = self.sizes[z] + ALPHA
            held, seen = self.counts[z], {}
            for i, w in enumerate(self.documents[d]):
                j = seen.get(w, 0)
                weight *= (held.get(w, 0) + BETA + j) / (self.totals[z] + self.V * BETA + i)
                seen[w] = j + 1
            weights.append(weight)
        total = sum(weights)
        self.labels[d] = int(self.rng.choice(self.K, p=[weight / total for weight in weights]))
        self.change(d, self.labels[d], 1)


def chain_of(X: scipy.sparse.csr_matrix, labels: np.ndarray, K: int) -> blocklda.DPMixtureChain:
    return blocklda.DPMixtureChain(X, ALPHA, BETA, K, learn=False, init=labels)


def seconds_per_sweep(chain: blocklda.DPMixtureChain, n_sweeps: int) -> float:
    start = time.process_time()
    chain.sweep(n_sweeps)
    return (time.process_time() - start) / n_sweeps


def speed(size: Size) -> list[list[str]]:
    """Return sweeps per second of both, from labels after a few sweeps."""
    X = short_texts(size)
    random = np.random.default_rng(2).integers(size.n_components, size=size.n_docs)
    chain = chain_of(X, random, size.n_components)
    chain.sweep(size.n_sweeps)
    plain = PlainGSDMM(X, chain.labels(), size.n_components)
    start = time.process_time()
    for d in range(size.n_python_docs):
        plain.visit(d)
    of_plain = (time.process_time() - start) / size.n_python_docs * size.n_docs
    own = seconds_per_sweep(chain, size.n_sweeps)
    rows = [["plain Python", of_plain], ["blocklda", own]]
    used = f"{chain.n_components} with documents"
    print(f"{size.n_docs:,} texts, {size.n_components} components, {used}")
    return [[name, f"{s:.3g}", f"{1 / s:.3g}", f"{of_plain / s:.0f} ×"] for name, s in rows]


def cost_by_vocabulary(size: Size) -> list[list[str]]:
    """Return the time of a sweep with words added that no document has."""
    X = short_texts(size)
    rows, first = [], 0.0
    for factor in (1, 4, 16):
        wide = scipy.sparse.csr_matrix(
            (X.data, X.indices, X.indptr), (size.n_docs, factor * size.n_words)
        )
        labels = np.random.default_rng(2).integers(size.n_components, size=size.n_docs)
        own = seconds_per_sweep(chain_of(wide, labels, size.n_components), size.n_sweeps)
        first = first or own
        rows.append([f"{factor * size.n_words:,}", f"{own:.3g}", f"{own / first:.2f}"])
    return rows


SETTINGS = tuple((alpha, beta) for beta in (0.1, 0.5, 1.0) for alpha in (0.3, 1.0, 5.0))


def mixing(size: Size) -> list[list[str]]:
    """Return autocorrelation times with blocks and one by one, a row for each α, β and series."""
    return [
        [f"{alpha:g}, {beta:g}", *row]
        for alpha, beta in SETTINGS
        for row in mixing_with(size, alpha, beta)
    ]


def mixing_with(size: Size, alpha: float, beta: float) -> list[list[str]]:
    X = np.repeat(np.array(KINDS), COPIES, axis=0)
    rows = []
    times: dict[int, tuple[float, float]] = {}
    for max_block in (1, 16):
        chain = blocklda.DPMixtureChain(X, alpha, beta, learn=False, max_block=max_block)
        chain.sweep(200)
        series = []
        for _ in range(size.n_mixing_sweeps):
            chain.sweep()
            labels = chain.labels()
            series.append((chain.n_components, labels[0] == labels[10]))
        times[max_block] = tuple(autocorrelation_time(column) for column in np.array(series).T)
    for name, one, block in zip(
        ("number of components", "kinds 1 and 2 together"), times[1], times[16], strict=True
    ):
        rows.append([name, f"{one:.1f}", f"{block:.1f}", f"{block / one:.2f}"])
    return rows


def autocorrelation_time(series: np.ndarray) -> float:
    """Return how many sweeps are worth one independent draw."""
    ess = array_stats.ess(series.astype(float)[None], chain_axis=0, draw_axis=1, method="mean")
    return len(series) / float(ess)


PARTS: dict[str, tuple[list[str], Callable[[Size], list[list[str]]]]] = {
    "speed": (["", "s per sweep", "sweeps/s", "against Python"], speed),
    "cost": (["vocabulary", "s per sweep", "ratio"], cost_by_vocabulary),
    "mixing": (
        ["α, β", "autocorrelation time, sweeps", "one by one", "blocks", "ratio"],
        mixing,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes")
    parser.add_argument("--part", choices=PARTS, help="one part; all of them without it")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL
    print(machine(), "\n")
    for name in [options.part] if options.part else PARTS:
        header, work = PARTS[name]
        print(table(header, work(size)), "\n", flush=True)


if __name__ == "__main__":
    main()
