"""What moves between sweeps are worth: how many random starts stay in a local mode, and the cost.

On the bars: chains from the same random starts with and without merge-split. A run counts as caught
if the mean log posterior of its last sweeps is as far below the best of all runs of the corpus as
`blocklda reproduce simulated` asks for. Costs are CPU times of one thread, in sweeps of the same
chain. On KOS: attempts along a chain, and how far the best was from acceptance.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import blocklda
from benchmarks.harness import DATA, machine, table
from blocklda import _native, simulate
from blocklda.experiments.mixing_claims import NOISE_PER_ROOT_TOKEN, TRAPPED_BELOW

ALPHA, BETA = 0.1, 0.01
BARS_TOPICS, TEXT_TOPICS = 10, 32
MERGE_SPLIT = ("merge-split",)

LAST = 10
"""The log posterior at the end of a run is the mean over this many sweeps."""


@dataclass(frozen=True)
class Setting:
    """A sampler with or without moves, on a corpus of bars."""

    corpus_seed: int
    sampler: str
    moves: tuple[str, ...]


def bars(seed: int, n_docs: int) -> blocklda.Corpus:
    return simulate.bars(n_docs, alpha=ALPHA, seed=seed).corpus


def final_level(corpus: blocklda.Corpus, setting: Setting, seed: int, n_sweeps: int) -> float:
    """Return the mean log posterior over the last sweeps of a run from a random start."""
    chain = blocklda.Chain(
        corpus,
        BARS_TOPICS,
        ALPHA,
        BETA,
        sampler=setting.sampler,
        seed=seed,
        moves=setting.moves,
    )
    chain.sweep(n_sweeps - LAST)
    levels = []
    for _ in range(LAST):
        chain.sweep()
        levels.append(chain.log_posterior())
    return statistics.fmean(levels)


def caught(
    seeds: list[int], samplers: list[str], n_starts: int, n_sweeps: int, n_docs: int
) -> list[list[str]]:
    """Return a row per corpus and sampler: how many starts were caught without and with moves."""
    rows = []
    for seed in seeds:
        corpus = bars(seed, n_docs)
        below = TRAPPED_BELOW * NOISE_PER_ROOT_TOKEN * corpus.n_tokens**0.5
        levels: dict[tuple[str, tuple[str, ...]], list[float]] = {}
        for sampler in samplers:
            for moves in ((), MERGE_SPLIT):
                setting = Setting(seed, sampler, moves)
                found = [final_level(corpus, setting, start, n_sweeps) for start in range(n_starts)]
                levels[sampler, moves] = found
                print(seed, sampler, *moves, *(f"{level:.0f}" for level in found), flush=True)
        best = max(max(found) for found in levels.values())
        for sampler in samplers:
            counts = [
                sum(level < best - below for level in levels[sampler, moves])
                for moves in ((), MERGE_SPLIT)
            ]
            rows.append([f"{seed}", sampler, *(f"{count} of {n_starts}" for count in counts)])
    return rows


def attempt(chain: blocklda.Chain) -> tuple[bool, float]:
    """Try merge-split once; return whether it was accepted and the log of its ratio."""
    state = chain.state
    with state.rng.bit_generator.lock:
        generator = state.rng.bit_generator.capsule
        _, _, is_accepted, log_ratio = _native.merge_split(
            state.corpus.native, state.priors.native, state.topics, generator
        )
    return is_accepted, log_ratio


def cpu_seconds(run: Callable[[], object]) -> float:
    start = time.thread_time()
    run()
    return time.thread_time() - start


def cost(chain: blocklda.Chain, rounds: int) -> float:
    """Return the time of an attempt in sweeps of the chain."""
    ratios = []
    for _ in range(rounds):
        sweep = cpu_seconds(chain.sweep)
        ratios.append(cpu_seconds(lambda: attempt(chain)) / sweep)
    return statistics.median(ratios)


def bars_costs(samplers: list[str], seed: int, n_docs: int, rounds: int) -> list[list[str]]:
    rows = []
    corpus = bars(seed, n_docs)
    for sampler in samplers:
        chain = blocklda.Chain(corpus, BARS_TOPICS, ALPHA, BETA, sampler=sampler, seed=1)
        chain.sweep(20)
        rows.append([sampler, f"{cost(chain, rounds):.2f}"])
    return rows


def on_text(corpus: blocklda.Corpus, n_topics: int, burn_in: int, n_sweeps: int) -> list[str]:
    """Return attempts, accepted ones, the best log ratio and the cost, on a chain of text."""
    chain = blocklda.Chain(
        corpus, n_topics, ALPHA, BETA, sampler="single-site", seed=1, init="variational"
    )
    chain.sweep(burn_in)
    price = cost(chain, 5)
    found = []
    for _ in range(n_sweeps):
        chain.sweep()
        found.append(attempt(chain))
    accepted = sum(is_accepted for is_accepted, _ in found)
    best = max(log_ratio for _, log_ratio in found)
    return [f"{n_sweeps}", f"{accepted}", f"{best:,.0f}", f"{price:.2f}"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--starts", type=int, default=30, help="random starts (default: 30)")
    parser.add_argument("--sweeps", type=int, default=150, help="sweeps of each (default: 150)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[2016, 7], help="of the corpora")
    parser.add_argument("--samplers", nargs="+", default=["single-site", "nested", "sparse"])
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.quick:
        options.starts, options.sweeps, options.seeds = 1, 12, [1]
    n_docs = 50 if options.quick else 2000
    print(f"Bars, K = {BARS_TOPICS}, {options.sweeps} sweeps; {machine()}\n", flush=True)
    rows = caught(options.seeds, options.samplers, options.starts, options.sweeps, n_docs)
    print("\n" + table(["corpus", "sampler", "caught, plain", "caught, merge-split"], rows))
    costs = bars_costs(options.samplers, options.seeds[0], n_docs, 3 if options.quick else 20)
    print("\n" + table(["bars", "an attempt, in sweeps"], costs), flush=True)
    if options.quick:
        text = on_text(bars(1, n_docs), 5, 2, 5)
    else:
        text = on_text(blocklda.read_corpus(DATA / "docword.kos.txt.gz"), TEXT_TOPICS, 60, 100)
    header = ["attempts", "accepted", "best log ratio", "an attempt, in sweeps"]
    print(f"\nText, K = {TEXT_TOPICS}, single-site\n\n" + table(header, [text]), flush=True)


if __name__ == "__main__":
    main()
