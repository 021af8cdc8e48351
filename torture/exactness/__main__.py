"""``python -m torture.exactness [--quick] [--tests N]``: one-step tests on random problems.

Exact draws of a problem whose states are listed are moved by a sampler; a statistic of what they
have become is ranked among exact populations, so p-values are uniform. The smallest are looked at
again with more draws. Then each mutant is tested until it is found. A run goes on where the one
before ended. It ends with 1 if p-values are not uniform or a mutant was not found.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.harness import table
from blocklda.testing.verdict import ACCEPT
from torture.exactness.cases import Case
from torture.exactness.counts import Counts
from torture.exactness.lda_cases import lda_case, lda_problem
from torture.exactness.mutants import MUTANTS, QUICK, problems_until_found
from torture.exactness.other_cases import hdp_case, hdp_problem, mixture_case, mixture_problem
from torture.exactness.ranks import N_BINS, rank_p_value
from torture.results import OUT

N_TESTS, QUICK_TESTS = 100_000, 150
N_DRAWS, SECOND_LOOK = 50, 1_500
STATES = 1_500
PER_PROBLEM = {"lda": 8, "hdp": 12, "mixture": 8}
"""Tests of a problem: to list its states takes as long as some tests."""
SAVE_EVERY = 20.0


def main() -> int:
    """Test up to so many times, look for mutants, and print the table."""
    options = _arguments()
    path = options.out / ("exactness-quick.json" if options.quick else "exactness.json")
    if options.quick:
        path.unlink(missing_ok=True)
    counts = Counts.load(path)
    n_tests = options.tests or (QUICK_TESTS if options.quick else N_TESTS)
    run_tests(counts, n_tests, options.seed, options.seconds)
    if not options.no_mutants:
        find_mutants(counts, QUICK if options.quick else tuple(MUTANTS), options.seed)
    return report(counts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="torture.exactness", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few tests, to see that it runs")
    parser.add_argument("--tests", type=int, help=f"tests in all (default: {N_TESTS:,})")
    parser.add_argument("--seconds", type=float, default=np.inf, help="stop after as many")
    parser.add_argument("--no-mutants", action="store_true", help="leave the mutants out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=OUT, help=f"folder of results (default {OUT})")
    return parser.parse_args()


def run_tests(counts: Counts, n_tests: int, seed: int, seconds: float = np.inf) -> None:
    """Test on one problem after the other, and note the counts now and then."""
    start = saved = time.monotonic()
    before = counts.seconds
    while counts.n_tests < n_tests and time.monotonic() - start < seconds:
        rng = np.random.default_rng([seed, counts.n_blocks])
        for case in cases(rng):
            add_test(case, int(rng.integers(2**31)), counts)
        counts.n_blocks += 1
        if time.monotonic() - saved > SAVE_EVERY:
            saved = time.monotonic()
            counts.seconds = before + saved - start
            counts.save()
    counts.seconds = before + time.monotonic() - start
    counts.save()


def cases(rng: np.random.Generator) -> list[Case]:
    """Return several cases on one problem."""
    model = str(rng.choice(["lda", "hdp", "mixture"], p=[0.84, 0.04, 0.12]))
    if model == "lda":
        problem, tags = lda_problem(rng, STATES)
        return [lda_case(rng, problem, tags) for _ in range(PER_PROBLEM[model])]
    if model == "hdp":
        listed, tags = hdp_problem(rng)
        return [hdp_case(rng, listed, tags) for _ in range(PER_PROBLEM[model])]
    clusters, tags = mixture_problem(rng)
    return [mixture_case(rng, clusters, tags) for _ in range(PER_PROBLEM[model])]


def add_test(case: Case, seed: int, counts: Counts) -> None:
    """Count a p-value; one of the smallest is looked at again with other draws, and more."""
    p_value = rank_p_value(case, N_DRAWS, seed)
    counts.add(case.tags, p_value)
    if p_value < 1 / N_BINS:
        counts.suspect(seed, case.tags, case.verdict(SECOND_LOOK, seed + 1).p_value)


def find_mutants(counts: Counts, names: tuple[str, ...], seed: int) -> None:
    """Test every mutant that no run before has found."""
    for name in names:
        if not counts.mutants.get(name):
            counts.mutants[name] = problems_until_found(name, seed)
            counts.save()


def report(counts: Counts) -> int:
    """Print the counts; return 1 if a promise was broken."""
    rows = list(counts.rows())
    cells = [[name, f"{n:,}", f"{low:.2%}", f"{p:.2g}"] for name, n, low, p in rows]
    print(table(["cases", "tests", "p < 1 %", "uniform, p ="], cells))
    uneven = [name for name, _, _, p in rows if p * len(rows) < ACCEPT]
    wrong = [one for one in counts.worst if one.p_value * counts.n_looked_at < ACCEPT]
    missed = [name for name, n in counts.mutants.items() if not n]
    smallest = min((one.p_value for one in counts.worst), default=1.0)
    print(f"\nexactness: {counts.n_tests:,} tests in {counts.seconds:.0f} s; ", end="")
    print(f"{counts.n_looked_at:,} looked at again, smallest p = {smallest:.2g}; ", end="")
    print(f"{len(counts.mutants) - len(missed)} of {len(counts.mutants)} mutants found")
    for name in uneven:
        print(f"BROKEN: p-values of {name} are not uniform")
    for one in wrong:
        print(f"BROKEN: {one.p_value:.2g} with seed {one.seed}: {one.tags}")
    for name in missed:
        print(f"BROKEN: the mutant {name!r} was not found")
    return 1 if uneven or wrong or missed else 0


if __name__ == "__main__":
    sys.exit(main())
