"""Does `n_sweeps="auto"` stop too early? Fits where the rule stops them, against long ones.

On each corpus, fits of four chains run from check to check of the rule, until they have at least
five times the sweeps at which it stops them, or `--sweeps`. Half of the tokens of the last tenth of
the documents are held out. A fit stopped too early if the mean over its draws predicts them worse
than the long fit by more than 1 % of the perplexity, or if it reports fewer reproducible topics by
more than a tenth of all.

`--cases` picks corpora by the beginning of their names, `--seeds` how many fits each has. What the
fits were like at every check is added to the file `--save`; `--read` applies the rule to it,
and with `--found-only` the rule without its question whether chains still approach each other.
"""

from __future__ import annotations

import argparse
import inspect
import json
import pkgutil
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import blocklda
from benchmarks.harness import DATA, machine, table
from blocklda import simulate
from blocklda.diagnostics.settling import Change, recent_change
from blocklda.diagnostics.stopping import StoppingRule, excess_of, topics_settled
from blocklda.experiments.timing import first_docs
from blocklda.models.base import LOG_PREDICTIVE
from blocklda.results.stability import STABLE_BELOW, align_chains
from blocklda.run.schedule import Schedule
from blocklda.support.defaults import LONG_BURN_IN, MAX_SWEEPS_KEPT, THIN

EXCESS, LOST = 0.01, 0.1
TIMES = 5.0
"""Sweeps of a long fit for one of a stopped fit, if it has so many."""


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


def docstrings(part: Callable[[str], str] = str) -> blocklda.Corpus:
    """Return a part of the docstrings of SciPy's public functions and classes, in random order."""
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
    texts = [part(text) for text in np.array(sorted(found), dtype=object)[order]]
    return blocklda.Corpus.from_texts(texts, stop_words="english", min_df=3)


def perplexity(lda: blocklda.LDA, heldout: blocklda.Corpus) -> float:
    """Return the perplexity of held-out tokens under the mean over all draws."""
    return float(np.exp(-(heldout.counts * lda.log_predictive(heldout)).sum() / heldout.n_tokens))


def found(lda: blocklda.LDA) -> int:
    """Return how many topics all chains found."""
    return 0 if lda.stable_topics_ is None else int(lda.stable_topics_.sum())


def follow(case: Case, seed: int, last: int) -> list[dict[str, Any]]:
    """Return what a fit is like at every check of the rule up to the sweep ``last``."""
    corpus = case.read()
    tested = np.arange(corpus.n_docs - corpus.n_docs // 10, corpus.n_docs)
    train, heldout = blocklda.split_tokens(corpus, tested, 1)
    lda = blocklda.LDA(
        case.n_topics, n_chains=4, random_state=seed, warm_start=True, progress=False
    )
    rule = StoppingRule(Schedule.create(last, LONG_BURN_IN, THIN))  # for its checks alone
    seen: list[dict[str, Any]] = []
    sweep = rule.next_look(0)
    while sweep <= last:
        result = lda.set_params(n_sweeps=sweep).fit(train).result_
        change = recent_change(result.trace[LOG_PREDICTIVE])
        means = [one.topic_word for one in result.chain_means]
        seen.append(
            {
                "sweep": sweep,
                "perplexity": perplexity(lda, heldout),
                "n_found": found(lda),
                "change": None if change is None else [change.share, change.error],
                "distances": align_chains(means).distances.round(4).tolist(),
            }
        )
        sweep = rule.next_look(sweep)
    return seen


class Fit(NamedTuple):
    """What a fit was like at every check of the rule."""

    case: str
    n_topics: int
    seed: int
    checks: list[dict[str, Any]]
    found_only: bool = False
    """Whether the rule asks only which topics were found, not if chains approach each other."""

    def settled(self) -> dict[str, Any] | None:
        """Return the check at which the rule stops the fit, None if the limit does."""
        before: dict[str, Any] | None = None
        for check in self.checks:
            if check["sweep"] > LONG_BURN_IN + MAX_SWEEPS_KEPT:
                break
            now = topics_of(check)
            if self.found_only:
                now["excess"] = 0.0
            change = check["change"]
            predicts = change is not None and Change(*change).may_stop
            if predicts and topics_settled(before, now):
                return check
            before = now
        return None

    def stopped(self) -> dict[str, Any]:
        """Return the check at which the fit ends, or the one before the limit."""
        limit = LONG_BURN_IN + MAX_SWEEPS_KEPT
        within = [check for check in self.checks if check["sweep"] <= limit]
        return self.settled() or within[-1]

    def long(self) -> dict[str, Any]:
        """Return the first check with at least five times as many sweeps, or the last."""
        least = TIMES * self.stopped()["sweep"]
        return next((one for one in self.checks if one["sweep"] >= least), self.checks[-1])

    def is_early(self) -> bool:
        """Return whether the fit ends too early."""
        stopped, long = self.stopped(), self.long()
        lost = long["n_found"] - stopped["n_found"]
        excess = stopped["perplexity"] / long["perplexity"] - 1
        return excess > EXCESS or lost > LOST * self.n_topics

    def row(self) -> list[str]:
        """Return the fit at its end, and when it is long."""
        stopped, long = self.stopped(), self.long()
        ending = "" if self.settled() else " (limit)"
        return [
            f"{self.case}, seed {self.seed}",
            f"{stopped['sweep']:,}{ending}, {long['sweep']:,}",
            f"{stopped['perplexity']:,.1f}, {long['perplexity']:,.1f}",
            f"{stopped['perplexity'] / long['perplexity'] - 1:+.1%}",
            f"{stopped['n_found']}, {long['n_found']} of {self.n_topics}",
            "yes" if self.is_early() else "no",
        ]


def topics_of(check: dict[str, Any]) -> dict[str, Any]:
    """Return what the rule sees of topics."""
    distances = np.array(check["distances"])
    found = (distances < STABLE_BELOW).all(axis=0).tolist()
    return {"found": found, "excess": excess_of(distances)}


def report(fits: list[Fit], order: list[str]) -> None:
    """Print a row for every fit, and how many were stopped too early."""
    fits = sorted(fits, key=lambda fit: (order.index(fit.case), fit.seed))
    header = ["corpus", "sweeps", "perplexity", "stopped ÷ long − 1", "found in all", "too early"]
    print(table(header, [fit.row() for fit in fits]))
    by_rule = [fit for fit in fits if fit.settled()]
    n_early = sum(fit.is_early() for fit in by_rule)
    print(f"\nThe rule stopped {len(by_rule)} of {len(fits)} fits, {n_early} of them too early.")


def main() -> None:
    """Follow fits, or read what they were like, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--seeds", type=int, default=3, help="fits of each corpus (default: 3)")
    parser.add_argument("--first-seed", type=int, default=0, help="of the fits (default: 0)")
    parser.add_argument("--sweeps", type=int, default=2000, help="of the long fits, at most")
    parser.add_argument("--cases", default="", help="beginnings of names, separated by commas")
    parser.add_argument("--save", type=Path, help="file to add what fits were like to")
    parser.add_argument("--read", type=Path, nargs="+", help="such files, instead of new fits")
    parser.add_argument("--found-only", action="store_true", help="what --read applies")
    options = parser.parse_args()
    seeds, last, chosen = options.seeds, options.sweeps, cases()
    if options.quick:
        few_bars = Case(lambda: simulate.bars(n_docs=30, side=3, seed=1).corpus, 6)
        seeds, last, chosen = 1, 260, {"bars": few_bars}
    fits: list[Fit] = []
    if options.read is not None:
        lines = (line for path in options.read for line in path.read_text("utf-8").splitlines())
        read = [Fit(*json.loads(line)[:4], options.found_only) for line in lines]
        report(read, list(chosen))
        return
    print(machine(), end="\n\n")
    warnings.simplefilter("ignore")
    for seed in range(options.first_seed, options.first_seed + seeds):
        for name, case in chosen.items():
            if not name.startswith(tuple(options.cases.split(","))):
                continue
            fits.append(Fit(name, case.n_topics, seed, follow(case, seed, last)))
            print(fits[-1].row(), flush=True)
            if options.save is not None:
                with options.save.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(fits[-1]) + "\n")
    print()
    report(fits, list(chosen))


if __name__ == "__main__":
    main()
