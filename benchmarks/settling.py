"""Does `n_sweeps="auto"` stop too early? Fits that the rule stopped, against long ones.

On each corpus fits of four chains are stopped by the rule; the same chains, from the same seeds,
then continue until they have many more sweeps. Half of the tokens of the last tenth of the
documents are held out. A fit stopped too early if the mean over its draws predicts them worse than
the long fit by more than 1 % of the perplexity, or if it reports fewer reproducible topics by more
than a tenth of all.

`--cases` picks corpora by the beginning of their names, `--seeds` how many fits each has.
"""

from __future__ import annotations

import argparse
import inspect
import pkgutil
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import NamedTuple

import numpy as np

import blocklda
from benchmarks.harness import DATA, machine, table
from blocklda import simulate
from blocklda.experiments.timing import first_docs

EXCESS, LOST = 0.01, 0.1


class Case(NamedTuple):
    """A corpus, read or made when its turn comes, and a number of topics."""

    read: Callable[[], blocklda.Corpus]
    n_topics: int


def cases() -> dict[str, Case]:
    """Return what is fitted, by name."""
    kos, nips = (partial(first_of, name) for name in ("kos", "nips"))
    return {
        "bars, K = 10": Case(lambda: simulate.bars(n_docs=500, seed=7).corpus, 10),
        "simulated, K = 20": Case(partial(simulated, 1000, 2000, 20), 20),
        "docstrings of SciPy, K = 20": Case(docstrings, 20),
        "KOS, 1,500 documents, K = 20": Case(partial(kos, 1500), 20),
        "KOS, 1,500 documents, K = 50": Case(partial(kos, 1500), 50),
        "NIPS, 150 documents, K = 30": Case(partial(nips, 150), 30),
    }


def first_of(name: str, n_docs: int) -> blocklda.Corpus:
    """Return the first documents of one of the paper's corpora."""
    return first_docs(blocklda.read_corpus(DATA / f"docword.{name}.txt.gz"), n_docs)


def simulated(n_docs: int, n_words: int, n_topics: int) -> blocklda.Corpus:
    """Return a corpus of the model: 100 tokens a document, sparse topics."""
    rng = np.random.default_rng(1)
    theta = rng.dirichlet(np.full(n_topics, 0.1), n_docs)
    phi = rng.dirichlet(np.full(n_words, 0.05), n_topics)
    return simulate.draw_corpus(theta, phi, np.full(n_docs, 100), rng)


def docstrings() -> blocklda.Corpus:
    """Return the docstrings of SciPy's public functions and classes, in an order of chance."""
    package = import_module("scipy")
    found = set()
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("_") or not module.ispkg:
            continue
        members = vars(import_module(f"scipy.{module.name}"))
        for name, member in sorted(members.items()):
            text = None if name.startswith("_") else inspect.getdoc(member)
            if text and len(text) > 200:
                found.add(text)
    order = np.random.default_rng(1).permutation(len(found))
    texts = np.array(sorted(found), dtype=object)[order]
    return blocklda.Corpus.from_texts(list(texts), stop_words="english", min_df=3)


def perplexity(lda: blocklda.LDA, heldout: blocklda.Corpus) -> float:
    """Return the perplexity of held-out tokens under the mean over all draws."""
    return float(np.exp(-(heldout.counts * lda.log_predictive(heldout)).sum() / heldout.n_tokens))


def found(lda: blocklda.LDA) -> int:
    """Return how many topics all chains found."""
    return 0 if lda.stable_topics_ is None else int(lda.stable_topics_.sum())


def compare(name: str, case: Case, seed: int, times: float) -> tuple[list[str], bool]:
    """Return the row of one fit, and whether it was stopped too early."""
    corpus = case.read()
    last = np.arange(corpus.n_docs - corpus.n_docs // 10, corpus.n_docs)
    train, heldout = blocklda.split_tokens(corpus, last, 1)
    lda = blocklda.LDA(
        case.n_topics, n_chains=4, random_state=seed, warm_start=True, progress=False
    ).fit(train)
    ending, n_stopped = lda.result_.ending, lda.n_sweeps_
    at_stop, found_at_stop = perplexity(lda, heldout), found(lda)
    lda.set_params(n_sweeps=int(times * n_stopped)).fit(train)
    at_end, found_at_end = perplexity(lda, heldout), found(lda)
    is_early = (
        at_stop > (1 + EXCESS) * at_end or found_at_end - found_at_stop > LOST * case.n_topics
    )
    row = [
        name,
        f"{n_stopped} ({ending}), {lda.n_sweeps_}",
        f"{at_stop:,.1f}, {at_end:,.1f}",
        f"{at_stop / at_end - 1:+.1%}",
        f"{found_at_stop}, {found_at_end} of {case.n_topics}",
        "yes" if is_early else "no",
    ]
    return row, is_early


def main() -> None:
    """Print a row for every fit, then all of them as a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--seeds", type=int, default=3, help="fits of each corpus (default: 3)")
    parser.add_argument("--times", type=float, default=5.0, help="sweeps of long fits ÷ stopped")
    parser.add_argument("--cases", default="", help="beginnings of names, with commas")
    options = parser.parse_args()
    seeds, times, chosen = options.seeds, options.times, cases()
    if options.quick:
        few_bars = Case(lambda: simulate.bars(n_docs=30, side=3, seed=1).corpus, 6)
        seeds, times, chosen = 1, 2.0, {"bars": few_bars}
    print(machine(), end="\n\n")
    rows, n_early = [], 0
    warnings.simplefilter("ignore")
    for seed in range(seeds):
        for name, case in chosen.items():
            if not name.startswith(tuple(options.cases.split(","))):
                continue
            row, is_early = compare(name, case, seed, times)
            n_early += is_early
            rows.append(row)
            print(row, flush=True)
    header = ["corpus", "sweeps", "perplexity", "stopped ÷ long − 1", "found in all", "too early"]
    print()
    print(table(header, sorted(rows, key=lambda row: list(chosen).index(row[0]))))
    print(f"\n{n_early} of {len(rows)} fits stopped too early.")


if __name__ == "__main__":
    main()
