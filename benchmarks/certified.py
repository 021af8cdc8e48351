"""Certified single precision against tomotopy: tokens per second, and what is left to doubles.

CPU time, one thread, contenders taking turns; ratios are medians over rounds. Every number of
topics is measured with a symmetric alpha of 0.1 and with an asymmetric one of the same sum, both
given. All start at random and are past their first sweeps; beta is 0.01. `BLOCKLDA_ISA=avx2
TOMOTOPY_ISA=avx2` in front of the command forces an instruction set on both.

`--fits` compares whole fits of one chain instead: start, sweeps, log posterior, draws and learned
priors of `LDA(...).fit`, against as many sweeps of tomotopy from its start, which learns an
asymmetric alpha every tenth sweep in the rows with learned priors.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import tomotopy

import blocklda
from benchmarks.contenders import ALPHA, BETA, Task
from benchmarks.harness import alternate, corpora, machine, median_ratio, table
from blocklda import _native
from blocklda.models.lda.samplers.kernel_call import state_arguments

SAMPLERS = ("single-site", "sparse-single-site", "sparse")
TOPICS = (20, 40, 100, 200, 1000)
PAST_THE_START = 20
TOPICS_OF_FITS, SWEEPS_OF_FITS = 40, 200


def asymmetric(n_topics: int) -> np.ndarray:
    """Return an alpha that falls like one over the number of the topic, as learned ones do."""
    falling = 1.0 / np.arange(2, n_topics + 2)
    return ALPHA * n_topics * falling / falling.sum()


def tomotopy_model(task: Task, alpha: np.ndarray) -> tomotopy.LDAModel:
    """Return a model past its start, with priors that stay as they are."""
    model = tomotopy.LDAModel(k=task.n_topics, alpha=alpha.tolist(), eta=BETA, seed=1)
    model.optim_interval = 0
    for words in task.documents():
        model.add_doc(words)
    train(model, PAST_THE_START)
    return model


def train(model: tomotopy.LDAModel, n: int = 1) -> None:
    model.train(n, workers=1, parallel=tomotopy.ParallelScheme.NONE)


def undecided_share(chain: blocklda.Chain) -> float:
    """Return the share of the draws of a sweep that doubles decide."""
    generator = np.random.PCG64(1)  # its capsule does not keep it alive
    corpus, priors, topics = state_arguments(chain.state)
    n = _native.count_undecided(corpus, priors, topics.copy(), generator.capsule, 1)
    return n / chain.corpus.n_tokens


def measure(task: Task, alpha: np.ndarray, rounds: int) -> list[str]:
    """Return a row of the table."""
    model = tomotopy_model(task, alpha)
    corpus, n_topics = task.train, task.n_topics
    start = blocklda.Chain(corpus, n_topics, alpha, BETA, sampler="sparse-single-site", seed=1)
    start.sweep(PAST_THE_START)
    chains = {
        name: blocklda.Chain(
            corpus, n_topics, alpha, BETA, sampler=name, seed=2, init=start.assignments()
        )
        for name in SAMPLERS
    }
    contenders = {name: chain.sweep for name, chain in chains.items()}
    contenders["tomotopy"] = lambda: train(model)
    alternate(contenders, 1)
    seconds = alternate(contenders, rounds, clock=time.process_time)
    ratios = [median_ratio(seconds["tomotopy"], seconds[name]) for name in SAMPLERS]
    blocks = median_ratio(seconds["sparse"], seconds["sparse-single-site"])
    share = undecided_share(chains["single-site"])
    return [f"{share:.1e}", *(f"{ratio:.2f}" for ratio in (*ratios, blocks))]


def measure_fits(corpus: blocklda.Corpus, n_topics: int, learns: bool, rounds: int) -> list[str]:
    """Return the time of a fit, and tomotopy's time for as many sweeps divided by it."""
    priors = {} if learns else {"alpha": ALPHA, "beta": BETA}
    words = Task("", corpus, corpus, n_topics, seed=0).documents()

    def fit() -> None:
        blocklda.LDA(
            n_topics, n_sweeps=SWEEPS_OF_FITS, n_chains=1, random_state=1, progress=False, **priors
        ).fit(corpus)

    def theirs() -> None:
        model = models.pop()
        train(model, SWEEPS_OF_FITS)

    def new_model() -> tomotopy.LDAModel:
        model = tomotopy.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=1)
        model.optim_interval = 10 if learns else 0
        for document in words:
            model.add_doc(document)
        train(model, 0)
        return model

    models = [new_model() for _ in range(rounds)]
    seconds = alternate({"fit": fit, "tomotopy": theirs}, rounds, clock=time.process_time)
    ratio = median_ratio(seconds["tomotopy"], seconds["fit"])
    return ["learned" if learns else "given", f"{np.median(seconds['fit']):.1f}", f"{ratio:.2f}"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--repeat", type=int, default=5, help="timed rounds (default: 5)")
    parser.add_argument("--topics", default=",".join(map(str, TOPICS)), help="such as 40,200")
    parser.add_argument("--corpora", default="KOS,NIPS", help="such as NIPS (default: both)")
    parser.add_argument("--alpha", default="0.1,asymmetric", help="such as 0.1 (default: both)")
    parser.add_argument("--fits", action="store_true", help="whole fits instead of sweeps")
    return parser.parse_args()


def chosen(options: argparse.Namespace) -> dict[str, blocklda.Corpus]:
    """Return the corpora that were asked for; a quick run has its own."""
    found = corpora(options.quick)
    if options.quick:
        return found
    return {name: found[name] for name in options.corpora.split(",")}


def main() -> None:
    options = arguments()
    sizes = [8] if options.quick else [int(text) for text in options.topics.split(",")]
    rounds = 2 if options.quick else options.repeat
    if options.fits:
        n_topics = 8 if options.quick else TOPICS_OF_FITS
        rows = [
            [name, str(n_topics), *measure_fits(corpus, n_topics, learns, rounds)]
            for name, corpus in chosen(options).items()
            for learns in (False, True)
        ]
        header = ["corpus", "K", "priors", "CPU s of a fit", "tokens/s of the fit ÷ tomotopy"]
        print(f"{machine()}, tomotopy with {tomotopy.isa}\n\n{table(header, rows)}")
        return
    header = [
        "corpus",
        "α",
        "K",
        "left to doubles",
        *(f"`{name}` ÷ tomotopy" for name in SAMPLERS),
        "s/sweep, `sparse` ÷ `sparse-single-site`",
    ]
    rows = []
    for name, corpus in chosen(options).items():
        for n_topics in sizes:
            task = Task(name, corpus, corpus, n_topics, seed=0)
            priors = {"0.1": np.full(n_topics, ALPHA), "asymmetric": asymmetric(n_topics)}
            for kind in options.alpha.split(","):
                alpha = priors[kind]
                rows.append([name, kind, str(n_topics), *measure(task, alpha, rounds)])
                print(" ".join(rows[-1]), flush=True)
    print(f"\n{machine()}, tomotopy with {tomotopy.isa}\n\n{table(header, rows)}")


if __name__ == "__main__":
    main()
