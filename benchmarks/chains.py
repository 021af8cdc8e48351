"""Are the topics of four chains blurrier than those of one? NPMI of the topics that users see.

Default fits (learned priors, n_sweeps="auto") with one chain and with four, from the same seeds.
The topics that are shown come from the reference chain. For comparison: the mean over matched
topics of all four chains, which is what would be shown if chains were averaged, and of four chains
only the topics that all of them found. NPMI of the ten largest words, counted in all documents of
the corpus; the mean over topics, and the mean over fits.

`--cases` picks corpora by the beginning of their names, `--seeds` how many fits each has.
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial

import numpy as np

import blocklda
from benchmarks.harness import machine, table
from benchmarks.settling import Case, docstrings, first_of
from blocklda import simulate
from blocklda.evaluate import npmi

N_CHAINS = 4


def cases() -> dict[str, Case]:
    """Return what is fitted, by name."""
    return {
        "docstrings of SciPy, K = 20": Case(docstrings, 20),
        "KOS, K = 40": Case(partial(first_of, "kos", 3430), 40),
        "NIPS, 300 documents, K = 30": Case(partial(first_of, "nips", 300), 30),
    }


def coherence(case: Case, seed: int) -> dict[str, float]:
    """Return the mean NPMI of topics, by what they are."""
    corpus = case.read()
    one, four = (
        blocklda.LDA(case.n_topics, n_chains=n, random_state=seed, progress=False).fit(corpus)
        for n in (1, N_CHAINS)
    )
    shown = npmi(four.components_, corpus)
    stable = four.stable_topics_
    return {
        "one chain": float(npmi(one.components_, corpus).mean()),
        "four chains": float(shown.mean()),
        "found in all": float(shown[stable].mean()) if stable is not None and stable.any() else 0.0,
        "averaged over chains": float(npmi(averaged(four), corpus).mean()),
        "n_stable": 0.0 if stable is None else float(stable.sum()),
    }


def averaged(lda: blocklda.LDA) -> np.ndarray:
    """Return the mean over all chains of the topics that are matched to each other."""
    result = lda.result_
    topics = [
        means.topic_word[order]
        for means, order in zip(result.chain_means, result.alignment.order, strict=True)
    ]
    return np.mean(topics, axis=0)


def main() -> None:
    """Print a row for every fit, then means for every corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--seeds", type=int, default=3, help="fits of each corpus (default: 3)")
    parser.add_argument("--cases", default="", help="beginnings of names, with commas")
    options = parser.parse_args()
    seeds, chosen = options.seeds, cases()
    if options.quick:
        few_bars = Case(lambda: simulate.bars(n_docs=30, side=4, seed=1).corpus, 6)
        seeds, chosen = 1, {"bars": few_bars}
    print(machine(), end="\n\n")
    warnings.simplefilter("ignore")
    rows = []
    for name, case in chosen.items():
        if not name.startswith(tuple(options.cases.split(","))):
            continue
        found = []
        for seed in range(seeds):
            found.append(coherence(case, seed))
            print(
                name, seed, {key: round(value, 4) for key, value in found[-1].items()}, flush=True
            )
        means = {key: np.mean([one[key] for one in found]) for key in found[0]}
        n_stable = means.pop("n_stable")
        differences = [one["four chains"] - one["one chain"] for one in found]
        rows.append(
            [
                name,
                *(f"{value:.3f}" for value in means.values()),
                f"{n_stable:.1f}",
                f"{min(differences):+.3f} to {max(differences):+.3f}",
            ]
        )
    header = ["corpus", "one chain", "four chains", "found in all", "averaged", "topics in all"]
    print()
    print(table([*header, "four − one"], rows))


if __name__ == "__main__":
    main()
