"""Seconds per sweep of the samplers on KOS and NIPS, as ratios to single-site.

All start from the same state, some single-site sweeps after a random start, and take turns.
"""

from __future__ import annotations

import blocklda
from benchmarks.harness import alternate, arguments, corpora, machine, median_ratio, medians, table

ALPHA, BETA = 0.1, 0.01
WARM_UP = 10
BASE = "single-site"


def measure(corpus: blocklda.Corpus, n_topics: int, rounds: int) -> list[str]:
    """Return a row of the table: seconds of single-site, then ratios to it."""
    start = blocklda.Chain(corpus, n_topics, ALPHA, BETA, sampler=BASE, seed=1)
    start.sweep(WARM_UP)
    topics = start.assignments()
    chains = {
        name: blocklda.Chain(corpus, n_topics, ALPHA, BETA, sampler=name, seed=2, init=topics)
        for name in blocklda.SAMPLERS
    }
    for chain in chains.values():
        chain.sweep()
    seconds = alternate({name: chain.sweep for name, chain in chains.items()}, rounds)
    base = medians(seconds)[BASE]
    ratios = [median_ratio(seconds[name], seconds[BASE]) for name in blocklda.SAMPLERS]
    return [
        str(n_topics),
        f"{base:.4f}",
        f"{corpus.n_tokens / base / 1e6:.1f}",
        *(f"{ratio:.2f}" for ratio in ratios),
    ]


def main() -> None:
    options = arguments(__doc__)
    sizes = [8, 16] if options.quick else [8, 16, 32, 40, 64, 128, 256, 512, 1024]
    rounds = 2 if options.quick else options.repeat
    for name, corpus in corpora(options.quick).items():
        print(f"\n{name}: {corpus.n_tokens:,} tokens, {corpus.n_entries:,} blocks; {machine()}\n")
        header = ["K", "single-site s/sweep", "M tokens/s", *(f"{s} ÷" for s in blocklda.SAMPLERS)]
        rows = (measure(corpus, n_topics, rounds) for n_topics in sizes)
        print(table(header, rows), flush=True)


if __name__ == "__main__":
    main()
