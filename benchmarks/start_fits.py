"""How should chains start? Whole fits of four chains with learned priors, by `init`.

Every fit has the same burn-in and the same number of draws. Half of the tokens of the last tenth of
the documents are held out. Printed are the perplexity of these, how many topics all chains found,
the log posterior of each chain (mean over its last 50 sweeps), NPMI of the reported topics, and CPU
time. Where the topics are known, it also counts those that lie closer than 0.35 to one of the fit.

`--cases` picks corpora by the beginning of their names, `--inits` starts, `--seeds` how many fits
each has, `--burn-in` and `--kept` their sweeps.
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
from benchmarks.settling import docstrings, first_of, found, perplexity, simulated
from blocklda import simulate
from blocklda.evaluate import npmi
from blocklda.results.stability import STABLE_BELOW, align_chains
from blocklda.support.arrays import Floats

INITS = ("auto", "annealed")
LAST_SWEEPS = 50


class Data(NamedTuple):
    """A corpus, and its topics where they are known."""

    corpus: blocklda.Corpus
    topics: Floats | None = None


class Case(NamedTuple):
    """What is fitted: data that are read or made when their turn comes."""

    read: Callable[[], Data]
    n_topics: int


def cases() -> dict[str, Case]:
    """Return what is fitted, by name."""
    texts = {"KOS": partial(first_of, "kos", 3430), "NIPS": partial(first_of, "nips", 1500)}
    real = {
        f"{name}, K = {n_topics}": Case(partial(unlabelled, read), n_topics)
        for name, read in texts.items()
        for n_topics in (10, 50, 200)
    }
    return {
        **real,
        "docstrings of SciPy, K = 20": Case(partial(unlabelled, docstrings), 20),
        "planted, K = 50": Case(planted, 50),
        "simulated, K = 20": Case(partial(unlabelled, partial(simulated, 1000, 2000, 20)), 20),
        "bars, K = 10": Case(partial(unlabelled, bars), 10),
    }


def unlabelled(read: Callable[[], blocklda.Corpus]) -> Data:
    """Return data without known topics."""
    return Data(read())


def bars() -> blocklda.Corpus:
    """Return bars on a grid of five by five."""
    return simulate.bars(n_docs=500, seed=7).corpus


def planted(n_topics: int = 50) -> Data:
    """Return documents drawn from topics that were fitted to KOS."""
    fitted = blocklda.LDA(
        n_topics, alpha=0.1, beta=0.01, random_state=9, n_sweeps=300, burn_in=200, progress=False
    ).fit(first_of("kos", 3430))
    rng = np.random.default_rng(3)
    theta = rng.dirichlet(np.full(n_topics, 0.1), 3000)
    corpus = simulate.draw_corpus(theta, fitted.components_, np.full(3000, 130), rng)
    return Data(corpus, fitted.components_)


def fit_row(case: Case, init: str, seed: int, burn_in: int, n_kept: int) -> list[str]:
    """Fit four chains, and return what became of them."""
    corpus, topics = case.read()
    tested = np.arange(corpus.n_docs - corpus.n_docs // 10, corpus.n_docs)
    train, heldout = blocklda.split_tokens(corpus, tested, 1)
    lda = blocklda.LDA(
        case.n_topics,
        n_chains=4,
        init=init,
        burn_in=burn_in,
        n_sweeps=burn_in + n_kept,
        random_state=seed,
        progress=False,
    )
    start = time.process_time()
    lda.fit(train)
    seconds = time.process_time() - start
    levels = lda.log_posterior_[:, -LAST_SWEEPS:].mean(axis=1) / 1000
    known = "–"
    if topics is not None:
        near = align_chains([topics, lda.components_]).distances[1] < STABLE_BELOW
        known = str(np.count_nonzero(near))
    return [
        f"{perplexity(lda, heldout):,.1f}",
        str(found(lda)),
        f"{levels.min():,.1f} to {levels.max():,.1f}",
        f"{npmi(lda.components_, corpus).mean():.3f}",
        known,
        f"{seconds:.0f}",
    ]


def main() -> None:
    """Print a row for every fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--cases", default="", help="beginnings of names, with semicolons")
    parser.add_argument("--inits", default=",".join(INITS), help="of the chains")
    parser.add_argument("--seeds", type=int, default=1, help="fits of each (default: 1)")
    parser.add_argument("--burn-in", type=int, default=200, help="of the fits (default: 200)")
    parser.add_argument("--kept", type=int, default=200, help="sweeps after it (default: 200)")
    options = parser.parse_args()
    chosen, inits, lengths = cases(), options.inits.split(","), (options.burn_in, options.kept)
    if options.quick:
        few_bars = Case(lambda: Data(simulate.bars(n_docs=30, side=4, seed=1).corpus), 6)
        chosen, lengths = {"bars": few_bars}, (100, 12)
    print(machine(), end="\n\n")
    warnings.simplefilter("ignore", blocklda.BlockldaWarning)
    rows = []
    for name, case in chosen.items():
        if not name.startswith(tuple(options.cases.split(";"))):
            continue
        for seed in range(options.seeds):
            for init in inits:
                rows.append([name, str(seed), init, *fit_row(case, init, seed, *lengths)])
                print(rows[-1], flush=True)
    header = ["corpus", "seed", "init", "perplexity", "found in all", "log posterior / 1,000"]
    print()
    print(table([*header, "NPMI", "known topics", "CPU s"], rows))


if __name__ == "__main__":
    main()
