"""Which topics come back in every chain, and what "come back" should mean.

Independent chains run on the bars and on KOS; all start at a variational start of their own but the
last, which starts at random. For every two chains the mean topics are matched. Printed are

- how far the first and the last quarter of one chain lie apart: what a topic does by itself; and
  how far the nearest other topic of the same chain is;
- by distance of matched topics: how often each is the other's nearest, and how many of their ten
  top words they share;
- how many topics have a partner in every chain, for several limits; `STABLE_BELOW` is in bold;
- the diagnostics of the chains, as `lda.diagnostics()` prints them.
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np

import blocklda
from benchmarks.harness import DATA, machine, table
from benchmarks.recorded import Recorded, record
from blocklda.diagnostics.report import diagnose_trace
from blocklda.results.alignment import match_topics, total_variation
from blocklda.results.stability import STABLE_BELOW, stable_topics

ALPHA, BETA = 0.1, 0.01
BINS = np.linspace(0, 1, 11)
LIMITS = (0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
TOP = 10


def run(corpus: blocklda.Corpus, n_topics: int, options: argparse.Namespace) -> Recorded:
    seeds = np.random.SeedSequence(options.seed).spawn(options.chains)
    chains = [
        blocklda.Chain(
            corpus,
            n_topics,
            ALPHA,
            BETA,
            sampler="auto",
            seed=seed,
            init="random" if seed is seeds[-1] else "variational",
        )
        for seed in seeds
    ]
    return record(chains, options.sweeps, options.burn_in, options.thin)


def print_within(run: Recorded) -> None:
    """Print how far the topics of a chain move while it runs, and how far apart they are."""
    moved, apart = [], []
    for chain, mean in enumerate(run.topic_words):
        draws = [draw.topic_word() for draw in run.draws if draw.chain == chain]
        quarter = len(draws) // 4
        first, last = np.mean(draws[:quarter], axis=0), np.mean(draws[-quarter:], axis=0)
        moved.append(np.abs(first - last).sum(axis=1) / 2)
        between = total_variation(mean, mean)
        np.fill_diagonal(between, np.inf)
        apart.append(between.min(axis=1))
    rows = [
        [name, *(f"{x:.2f}" for x in np.quantile(values, [0, 0.1, 0.5, 0.9, 1]))]
        for name, values in (
            ("first to last quarter of a chain", moved),
            ("to the nearest other topic", apart),
        )
    ]
    print()
    print(table(["distance", "least", "10 %", "median", "90 %", "most"], rows))
    print()


def print_matches(topic_words: list[np.ndarray]) -> None:
    """Print what matched topics have in common, by their distance."""
    distance, mutual, shared = [], [], []
    for p, q in itertools.combinations(topic_words, 2):
        partners = q[match_topics(q, p)]
        between = total_variation(p, partners)
        d = np.diagonal(between)
        distance.append(d)
        mutual.append((d <= between.min(axis=0)) & (d <= between.min(axis=1)))
        tops = (np.argsort(-topics, axis=1)[:, :TOP] for topics in (p, partners))
        shared.append([len(np.intersect1d(*pair)) for pair in zip(*tops, strict=True)])
    d, nearest, common = (np.concatenate(values) for values in (distance, mutual, shared))
    rows = []
    for low, high in itertools.pairwise(BINS):
        inside = (d >= low) & (d < high)
        if inside.any():
            rows.append(
                [
                    f"{low:.1f} to {high:.1f}",
                    str(inside.sum()),
                    f"{nearest[inside].mean():.0%}",
                    f"{np.median(common[inside]):.0f}",
                    f"{np.quantile(common[inside], 0.1):.0f}",
                ]
            )
    header = [
        "distance",
        "matched pairs",
        "nearest from both sides",
        f"top {TOP} words shared, median",
        "all but a tenth share at least",
    ]
    print(table(header, rows))


def print_limits(run: Recorded) -> None:
    """Print how many topics have a partner in every chain, for several limits."""
    distances = run.alignment.distances
    header = [f"**{x}**" if x == STABLE_BELOW else str(x) for x in LIMITS]
    counts = [str(np.count_nonzero(stable_topics(distances, limit))) for limit in LIMITS]
    print()
    print(table(["closer than", *header], [["topics that come back", *counts]]))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--sweeps", type=int, default=400, help="of each chain (default: 400)")
    parser.add_argument("--burn-in", type=int, default=200, help="of them (default: 200)")
    parser.add_argument("--thin", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.quick:
        options.chains, options.sweeps, options.burn_in, options.thin = 2, 60, 20, 2
    return options


def main() -> None:
    options = arguments()
    bars = blocklda.simulate.bars(n_docs=50 if options.quick else 500, seed=1).corpus
    tasks = [("bars", bars, 10)]
    if not options.quick:
        kos = blocklda.read_corpus(DATA / "docword.kos.txt.gz")
        tasks += [("KOS", kos, 32), ("KOS", kos, 40)]
    for name, corpus, n_topics in tasks:
        print(
            f"\n{name}, K = {n_topics}: {options.chains} chains of {options.sweeps} sweeps, "
            f"{options.burn_in} burn-in, a draw every {options.thin}; {machine()}"
        )
        result = run(corpus, n_topics, options)
        print_within(result)
        print_matches(result.topic_words)
        print_limits(result)
        print(f"\n{diagnose_trace(result.trace, result.alignment)}", flush=True)


if __name__ == "__main__":
    main()
