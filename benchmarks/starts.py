"""What a start is worth: log posterior and held-out perplexity against time, start by start.

All chains run the same sampler on the same split. "random" starts with random topics, "variational
n" with n passes; the row in bold is what `init="variational"` does. Perplexities are those of one
state by document completion. The starts are timed in turn, and so are the sweeps.

`--part sets` runs sets of four chains instead, plain and annealed, and counts the topics that all
four found; `--kinds`, `--corpus`, `--documents`, `--topics`, `--burn-in` and `--kept` choose which,
and `--predict` holds out half of the tokens of the last tenth of the documents.
`benchmarks.start_fits` compares whole fits.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

import numpy as np

import blocklda
from benchmarks.harness import DATA, alternate, corpora, machine, medians, table
from benchmarks.start_sets import KINDS, Setting, print_sets
from blocklda.experiments.timing import first_docs
from blocklda.models.lda.predictive import perplexity, predictive
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.starts.variational import PASSES, variational_topics

ALPHA, BETA = 0.1, 0.01
HELDOUT_DOCS = {"KOS": 430, "NIPS": 250}


@dataclass
class Contender:
    """A start, and what its chain looks like after some sweeps."""

    passes: int | None
    corpus: blocklda.Corpus
    n_topics: int
    sampler: str
    seed: int
    chain: blocklda.Chain = field(init=False)

    @property
    def name(self) -> str:
        name = "random" if self.passes is None else f"variational {self.passes}"
        return f"**{name}**" if self.passes == PASSES else name

    def start(self) -> None:
        priors = Priors.create(self.n_topics, self.corpus.n_words, ALPHA, BETA)
        init: object = "random"
        if self.passes is not None:
            rng = np.random.Generator(np.random.PCG64(self.seed))
            init = variational_topics(self.corpus, priors, rng, "native", self.passes)
        self.chain = blocklda.Chain(
            self.corpus,
            self.n_topics,
            ALPHA,
            BETA,
            sampler=self.sampler,
            seed=self.seed,
            init=init,
        )


def measure(
    contenders: list[Contender], test: blocklda.Corpus, checkpoints: list[int], rounds: int
) -> list[list[str]]:
    """Return one row per start: seconds, and both measures after each number of sweeps."""
    for contender in contenders:
        contender.start()  # once before the clock runs
    starts = medians(alternate({c.name: c.start for c in contenders}, rounds))
    rows = {c.name: [c.name] for c in contenders}
    seconds = dict(starts)
    done = 0
    for checkpoint in checkpoints:
        sweeps = {c.name: (lambda c=c, n=checkpoint - done: c.chain.sweep(n)) for c in contenders}
        if checkpoint > done:
            for name, times in alternate(sweeps, 1).items():
                seconds[name] += times[0]
        for c in contenders:
            score = perplexity(predictive(c.chain.draw(), test), test)
            log_q = c.chain.log_posterior() / 1e6
            rows[c.name].append(f"{seconds[c.name]:.2f} s: {score:.0f}, {log_q:.3f}")
        done = checkpoint
    return list(rows.values())


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--repeat", type=int, default=5, help="timed starts (default: 5)")
    parser.add_argument("--sampler", default="single-site", choices=blocklda.SAMPLERS)
    parser.add_argument("--seed", type=int, default=1, help="of split, starts and chains")
    parser.add_argument("--part", choices=("time", "sets", "all"), default="all")
    parser.add_argument("--sets", type=int, default=5, help="sets of chains (default: 5)")
    parser.add_argument("--kinds", default="plain,annealed", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--corpus", default="kos", help="of the sets (default: kos)")
    parser.add_argument("--documents", type=int, help="only so many of its first")
    parser.add_argument("--topics", type=int, default=32, help="of the sets (default: 32)")
    parser.add_argument("--burn-in", type=int, default=600, help="of the sets (default: 600)")
    parser.add_argument("--kept", type=int, default=200, help="sweeps of the sets after it")
    parser.add_argument("--predict", action="store_true", help="sets predict held-out tokens too")
    return parser.parse_args()


def sets(options: argparse.Namespace) -> None:
    """Compare sets of four chains by where they start."""
    if options.quick:
        (corpus,) = corpora(quick=True).values()
        numbers = {"n_topics": 5, "burn_in": 10, "n_kept": 8}
        n_sets, name = 1, "bars"
    else:
        corpus = blocklda.read_corpus(DATA / f"docword.{options.corpus}.txt.gz")
        if options.documents is not None:
            corpus = first_docs(corpus, options.documents)
        numbers = {
            "n_topics": options.topics,
            "burn_in": options.burn_in,
            "n_kept": options.kept,
        }
        n_sets, name = options.sets, options.corpus.upper()
    heldout = None
    if options.predict:
        last = slice(corpus.n_docs - corpus.n_docs // 10, None)
        corpus, heldout = blocklda.split_tokens(corpus, last, seed=1)
    setting = Setting(corpus, **numbers, heldout=heldout)
    print(f"\n{name}; {machine()}")
    print_sets(setting, options.kinds.split(","), n_sets, options.seed)


def main() -> None:
    options = arguments()
    if options.part in ("time", "all"):
        times(options)
    if options.part in ("sets", "all"):
        sets(options)


def times(options: argparse.Namespace) -> None:
    """Print what a start is worth against time."""
    sizes = [5] if options.quick else [40, 200]
    checkpoints = [0, 2] if options.quick else [0, 5, 20, 60]
    passes = [None, PASSES] if options.quick else [None, 2, PASSES, 16]
    for name, corpus in corpora(options.quick).items():
        last = slice(corpus.n_docs - HELDOUT_DOCS.get(name, corpus.n_docs // 4), None)
        train, test = blocklda.split_tokens(corpus, last, seed=options.seed)
        for n_topics in sizes:
            contenders = [
                Contender(p, train, n_topics, options.sampler, options.seed) for p in passes
            ]
            rows = measure(contenders, test, checkpoints, 1 if options.quick else options.repeat)
            header = ["start", "at once", *(f"after {n} sweeps" for n in checkpoints[1:])]
            print(f"\n{name}, K = {n_topics}, sampler {options.sampler}; {machine()}")
            print("time with the start: perplexity, log posterior / 10⁶\n")
            print(table(header, rows), flush=True)


if __name__ == "__main__":
    main()
