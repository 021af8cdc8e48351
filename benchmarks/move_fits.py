"""What merge-split in the burn-in is worth to default fits: `moves="auto"` against `moves=()`.

Fits of four chains with learned priors, 100 sweeps of burn-in and 160 more, from the same seeds,
on corpora with small vocabularies. A chain counts as caught in a local mode if its log posterior,
the mean over its last 50 sweeps, lies more than 0.02 per token below that of the best chain of the
corpus. The price is the CPU time, divided by that of fits without the move.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

import blocklda
from benchmarks.harness import machine, table
from benchmarks.settling import found, simulated
from blocklda import simulate

N_CHAINS = 4
BURN_IN, N_SWEEPS, LAST_SWEEPS = 100, 260, 50
CAUGHT = 0.02
"""Nats per token below the best chain."""


class Case(NamedTuple):
    """A corpus, made when its turn comes, and a number of topics."""

    make: Callable[[], blocklda.Corpus]
    n_topics: int


def cases() -> dict[str, Case]:
    """Return what is fitted, by name."""
    return {
        "bars, 5 × 5": Case(partial(bars, 5), 10),
        "bars, 10 × 10": Case(partial(bars, 10), 20),
        "simulated cells": Case(partial(simulated, 300, 300, 8), 8),
        "simulated": Case(partial(simulated, 1000, 2000, 20), 20),
    }


def bars(side: int) -> blocklda.Corpus:
    """Return bars on a square."""
    return simulate.bars(n_docs=500, side=side, seed=7).corpus


class Found(NamedTuple):
    """What became of the fits of a corpus with one setting."""

    n_found: list[int]
    levels: list[float]
    seconds: float


def fits(case: Case, moves: str | tuple[str, ...], n_seeds: int, n_sweeps: int) -> Found:
    """Fit a corpus with several seeds."""
    corpus = case.make()
    result = Found([], [], 0.0)
    for seed in range(n_seeds):
        start = time.process_time()
        lda = blocklda.LDA(
            case.n_topics,
            n_chains=N_CHAINS,
            moves=moves,
            burn_in=n_sweeps * BURN_IN // N_SWEEPS,
            n_sweeps=n_sweeps,
            random_state=seed,
            progress=False,
        ).fit(corpus)
        result = result._replace(seconds=result.seconds + time.process_time() - start)
        result.n_found.append(found(lda))
        result.levels.extend(lda.log_posterior_[:, -LAST_SWEEPS:].mean(axis=1) / corpus.n_tokens)
    return result


def main() -> None:
    """Print a row for every corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--seeds", type=int, default=8, help="fits of each (default: 8)")
    options = parser.parse_args()
    chosen, n_seeds, n_sweeps = cases(), options.seeds, N_SWEEPS
    if options.quick:
        few_bars = Case(lambda: simulate.bars(n_docs=30, side=4, seed=1).corpus, 8)
        chosen, n_seeds, n_sweeps = {"bars": few_bars}, 1, 60
    warnings.simplefilter("ignore", blocklda.BlockldaWarning)
    rows = []
    for name, case in chosen.items():
        without, auto = (fits(case, moves, n_seeds, n_sweeps) for moves in ((), "auto"))
        best = max(*without.levels, *auto.levels)
        row = [name, str(case.n_topics)]
        for one in (without, auto):
            n_caught = int((np.array(one.levels) < best - CAUGHT).sum())
            row += [f"{n_caught} of {len(one.levels)}", f"{np.mean(one.n_found):.1f}"]
        rows.append([*row, f"{auto.seconds / without.seconds:.2f}"])
        print(rows[-1], flush=True)
    header = ["corpus", "K", "caught, no moves", "found in all", "caught, auto", "found in all"]
    print(f"\n{machine()}\n\n{table([*header, 'CPU time, auto ÷ none'], rows)}")


if __name__ == "__main__":
    main()
