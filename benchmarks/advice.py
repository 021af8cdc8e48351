"""What becomes of a fit whose user follows every advice of the verdict?

Default fits, with one chain and with four. Whatever the verdict names, such as `n_sweeps=2000`, is
set, and the fit continues or is repeated, until nothing is advised any more. Printed are the first
line of every verdict, the perplexity of held-out tokens (half of those of the last tenth of the
documents), how many topics all chains found, and what is advised next. An advice that was given
before is marked.

`--cases` picks corpora by the beginning of their names. Advice that takes more than `--most` sweeps
is not followed.
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial

import numpy as np

import blocklda
from benchmarks.harness import machine
from benchmarks.settling import Case, docstrings, first_of, found, perplexity, simulated
from blocklda import simulate
from blocklda.support.messages import Setting

ROUNDS = 6


def cases() -> dict[str, Case]:
    """Return what is fitted, by name."""
    return {
        "bars, K = 10": Case(lambda: simulate.bars(n_docs=500, seed=7).corpus, 10),
        "noise, K = 10": Case(noise, 10),
        "short texts, K = 10": Case(first_sentences, 10),
        "docstrings of SciPy, K = 20": Case(docstrings, 20),
        "docstrings of SciPy, K = 100": Case(docstrings, 100),
        "simulated, K = 20": Case(partial(simulated, 1000, 2000, 20), 20),
        "KOS, K = 20": Case(partial(first_of, "kos", 3430), 20),
        "NIPS, 300 documents, K = 30": Case(partial(first_of, "nips", 300), 30),
    }


def noise() -> blocklda.Corpus:
    """Return a corpus without topics."""
    return blocklda.Corpus.from_matrix(np.random.default_rng(1).poisson(0.5, size=(300, 100)))


def first_sentences() -> blocklda.Corpus:
    """Return what the docstrings of SciPy begin with: about six words each."""
    return docstrings(lambda text: text.split("\n\n")[0][:80])


def advice(lda: blocklda.LDA) -> dict[str, object]:
    """Return the parameters that a verdict names, with the values that it gives them."""
    return {
        part.parameter: part.value
        for finding in lda.diagnostics().findings
        for part in finding.sentence.parts
        if isinstance(part, Setting)
    }


def follow(name: str, case: Case, n_chains: int, most: int) -> None:
    """Fit, and do what the verdict says until it says nothing new."""
    corpus = case.read()
    tested = np.arange(corpus.n_docs - corpus.n_docs // 10, corpus.n_docs)
    train, heldout = blocklda.split_tokens(corpus, tested, 1)
    lda = blocklda.LDA(case.n_topics, n_chains=n_chains, random_state=0, progress=False)
    lda.fit(train)
    given: set[tuple[str, str]] = set()
    for _ in range(ROUNDS):
        named = advice(lda)
        again = [key for key, value in named.items() if (key, str(value)) in given]
        given |= {(key, str(value)) for key, value in named.items()}
        said = ", ".join(f"{key}={value}" for key, value in named.items()) or "nothing"
        print(
            f"{name}; chains: {lda.n_chains}, topics: {lda.n_topics}, sweeps: {lda.n_sweeps_} "
            f"({lda.result_.ending})\n  {lda.diagnostics().level}: {lda.diagnostics().headline}\n"
            f"  perplexity {perplexity(lda, heldout):,.1f}, found in all: {found(lda)}; "
            f"advised: {said}{' AGAIN: ' + ', '.join(again) if again else ''}",
            flush=True,
        )
        if not named:
            return
        if set(named) == {"n_sweeps"}:
            if int(str(named["n_sweeps"])) > most:
                print("  (not followed: too many sweeps)")
                return
            lda.set_params(warm_start=True, **named).fit(train)
        else:
            named.pop("n_sweeps", None)
            lda.set_params(warm_start=False, n_sweeps="auto", **named).fit(train)


def main() -> None:
    """Follow the advice on every corpus, from one chain and from four."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--cases", default="", help="beginnings of names, separated by commas")
    parser.add_argument("--most", type=int, default=4000, help="sweeps (default: 4000)")
    options = parser.parse_args()
    chosen, most = cases(), options.most
    if options.quick:
        few_bars = Case(lambda: simulate.bars(n_docs=60, side=4, seed=2).corpus, 8)
        chosen, most = {"bars": few_bars}, 500
    warnings.simplefilter("ignore")
    print(machine(), end="\n\n")
    for name, case in chosen.items():
        if name.startswith(tuple(options.cases.split(","))):
            for n_chains in (1, 4):
                follow(name, case, n_chains, most)
                print()


if __name__ == "__main__":
    main()
