"""Several numbers of topics on KOS: what `evaluate.search_n_topics` says of them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.harness import corpora, machine
from blocklda.evaluate import search_n_topics


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--grid", type=int, nargs="+", default=[10, 20, 40, 80, 160, 320])
    parser.add_argument("--chains", type=int, default=4, help="for each K (default: 4)")
    parser.add_argument("--sweeps", type=int, default=200, help="of each chain (default: 200)")
    parser.add_argument("--burn-in", type=int, default=100, help="sweeps not kept (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="of split and chains (default: 1)")
    parser.add_argument("--json", type=Path, help="write all figures to this file as well")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.quick:
        options.grid, options.chains, options.sweeps, options.burn_in = [2, 3], 2, 8, 4
    name, corpus = next(iter(corpora(options.quick).items()))
    found = search_n_topics(
        corpus,
        options.grid,
        n_chains=options.chains,
        n_sweeps=options.sweeps,
        burn_in=options.burn_in,
        random_state=options.seed,
    )
    print(f"{name}: chains of {options.sweeps} sweeps, {options.burn_in} not kept; {machine()}\n")
    print(found)
    if options.json:
        options.json.write_text(json.dumps(found.to_dict(), indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
