"""What `approximate-parallel` gets wrong, and how fast it is.

a  corpora of a few tokens on a grid of 2 × 2: how far its stationary law is from the posterior, as
   computed, and as sampled beside exact samplers, whose distance is the noise of sampling.
b  the log posterior of KOS: every sampler goes on from the same states, where chains of `sparse`
   have arrived, and what it has on average is compared start by start.
c  tokens/s in 1 and 2 threads beside `sparse` and the exact samplers that have threads, from one
   state, in turns.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

import blocklda
from benchmarks.harness import alternate, arguments, corpora, machine, median_ratio, table
from benchmarks.stale_law import TinyCorpus, total_variation
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.grid import approximate_parallel
from blocklda.models.lda.samplers.grid import sampler as grid
from blocklda.models.lda.samplers.registry import find_sampler
from blocklda.models.lda.state import State, SweepOptions

APPROXIMATE = "approximate-parallel"
ALPHA, BETA = 0.1, 0.01
TINY = {
    "4 tokens, K = 2": TinyCorpus(((1, 1), (1, 1)), 2, 0.5, 0.5),
    "6 tokens, K = 2": TinyCorpus(((2, 1), (1, 2)), 2, 0.5, 0.5),
    "6 tokens, K = 2, small priors": TinyCorpus(((2, 1), (1, 2)), 2, 0.1, 0.01),
    "6 tokens, K = 3": TinyCorpus(((2, 1), (1, 2)), 3, 0.5, 0.5),
    "12 tokens, K = 2": TinyCorpus(((4, 2), (2, 4)), 2, 0.5, 0.5),
    "12 tokens, K = 2, 4 documents": TinyCorpus(((3, 0), (3, 0), (0, 3), (0, 3)), 2, 0.5, 0.5),
    "4 tokens, K = 2, no word shared": TinyCorpus(((2, 0), (0, 2)), 2, 0.5, 0.1),
}
THIN = 10


TINY_SAMPLERS: dict[str, Sweep] = {
    APPROXIMATE: partial(approximate_parallel.run, size=2),
    "grid": partial(grid.run, size=2),
    "sparse": find_sampler("sparse").native,
    "partially-collapsed": find_sampler("partially-collapsed").native,
}


def laws(n_draws: int) -> Iterator[list[str]]:
    """Part a: total variation distances from the posterior."""
    for name, tiny in TINY.items():
        law = tiny.posterior
        # Of N independent draws, each share is off by √(2 p (1 − p) / (π N)) on average.
        noise = 0.5 * np.sqrt(2 * law * (1 - law) / (np.pi * n_draws)).sum()
        distances = [
            total_variation(sampled(tiny, sweep, n_draws), law) for sweep in TINY_SAMPLERS.values()
        ]
        computed = total_variation(tiny.stale_law(2), law)
        yield [name, f"{computed:.3f}", *(f"{d:.3f}" for d in distances), f"{noise:.3f}"]


def sampled(tiny: TinyCorpus, sweep: Sweep, n_draws: int) -> np.ndarray:
    """Return how often a chain is found in each state, some sweeps apart."""
    rng = np.random.default_rng(1)
    topics = rng.integers(tiny.n_topics, size=tiny.corpus.n_tokens, dtype=np.int32)
    state = State(corpus=tiny.corpus, priors=tiny.priors, topics=topics, rng=rng)
    starts = np.cumsum(tiny.corpus.counts) - tiny.corpus.counts
    numbers = {counts.tobytes(): i for i, counts in enumerate(tiny.states)}
    found = np.zeros(len(tiny.states))
    for _ in range(n_draws):
        sweep(state, SweepOptions(), THIN)
        in_topic = state.topics[:, None] == np.arange(tiny.n_topics)
        counts = np.add.reduceat(in_topic.astype(np.int64), starts, axis=0)
        found[numbers[counts.tobytes()]] += 1
    return found / n_draws


def log_posteriors(
    corpus: blocklda.Corpus, n_topics: int, n_starts: int, n_sweeps: int
) -> Iterator[list[str]]:
    """Part b: mean log posterior over the second half of the sweeps, less that of `sparse`."""
    contenders = {
        f"`{APPROXIMATE}`": (APPROXIMATE, 2),
        "`sparse` with another seed": ("sparse", 2),
        "`grid`": ("grid", 2),
        "`partially-collapsed`": ("partially-collapsed", 2),
    }
    differences: dict[str, list[float]] = {name: [] for name in contenders}
    levels = []
    for start in range(n_starts):
        chain = blocklda.Chain(
            corpus, n_topics, ALPHA, BETA, "sparse", seed=start, init="variational"
        )
        chain.sweep(n_sweeps)
        topics = chain.assignments()

        def level(sampler: str, seed: int, topics: np.ndarray = topics) -> float:
            moved = blocklda.Chain(corpus, n_topics, ALPHA, BETA, sampler, seed=seed, init=topics)
            moved.sweep(n_sweeps // 2)
            return statistics.fmean(swept_log_posteriors(moved, n_sweeps - n_sweeps // 2))

        levels.append(level("sparse", 1))
        for name, (sampler, seed) in contenders.items():
            differences[name].append(level(sampler, seed) - levels[-1])
    for name, values in differences.items():
        yield [
            name,
            *with_error(values),
            f"{1_000 * statistics.fmean(values) / corpus.n_tokens:+.2f}",
        ]
    yield [
        "`sparse` itself",
        f"{statistics.fmean(levels):.0f}",
        f"{statistics.stdev(levels):.0f} from start to start",
        "",
    ]


def swept_log_posteriors(chain: blocklda.Chain, n_sweeps: int) -> Iterator[float]:
    for _ in range(n_sweeps):
        chain.sweep()
        yield chain.log_posterior()


def with_error(values: Sequence[float]) -> list[str]:
    error = statistics.stdev(values) / len(values) ** 0.5
    return [f"{statistics.fmean(values):+.0f}", f"{error:.0f}"]


def speeds(corpus: blocklda.Corpus, n_topics: int, rounds: int) -> Iterator[list[str]]:
    """Part c: M tokens/s, and times as fast as `sparse`."""
    start = blocklda.Chain(corpus, n_topics, ALPHA, BETA, "sparse", seed=1, init="variational")
    start.sweep(10)
    topics = start.assignments()
    threads = {"sparse": (1,), APPROXIMATE: (1, 2), "grid": (1, 2), "partially-collapsed": (1, 2)}
    chains = {
        f"`{name}`, {n} thread{'s' * (n > 1)}": blocklda.Chain(
            corpus, n_topics, ALPHA, BETA, name, seed=2, init=topics, n_threads=n
        )
        for name, numbers in threads.items()
        for n in numbers
    }
    for chain in chains.values():
        chain.sweep()
    seconds = alternate({name: chain.sweep for name, chain in chains.items()}, rounds)
    base = seconds[next(iter(seconds))]
    for name, times in seconds.items():
        speed = corpus.n_tokens / statistics.median(times) / 1e6
        yield [name, f"{speed:.1f}", f"{median_ratio(base, times):.2f}"]


def main() -> None:
    options = arguments(__doc__)
    found = list(corpora(options.quick).values())
    n_draws, rounds = (50, 2) if options.quick else (10_000, options.repeat)
    (n_topics, n_starts, n_sweeps) = (8, 2, 6) if options.quick else (40, 6, 300)
    header = ["a: distance from the posterior", "computed", *TINY_SAMPLERS, "noise"]
    print(f"{n_draws:,} draws; {machine()} unless said otherwise\n")
    print(table(header, laws(n_draws)), flush=True)
    corpus = found[0]
    print(f"\n{corpus.n_tokens:,} tokens, K = {n_topics}, {n_starts} starts, {n_sweeps} sweeps\n")
    header = [
        "b: log posterior less that of `sparse`",
        "nats",
        "± standard error",
        "per 1,000 tokens",
    ]
    rows = log_posteriors(corpus, n_topics, n_starts, n_sweeps)
    print(table(header, rows), flush=True)
    corpus, n_topics = found[-1], 8 if options.quick else 200
    print(f"\n{corpus.n_tokens:,} tokens, K = {n_topics}\n")
    print(table(["c", "M tokens/s", "÷ `sparse`"], speeds(corpus, n_topics, rounds)))


if __name__ == "__main__":
    main()
