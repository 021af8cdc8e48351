"""What `sampler="auto"` takes against the fastest sampler: CPU time of a sweep, by corpus and K.

One thread, samplers taking turns from one state past its start; ratios are medians over rounds.
Beside KOS and NIPS there are corpora drawn from LDA with a falling frequency of words: short texts
of 20 words; stop words, three tokens in ten of which are of 50 words that all topics share, with a
long tail of rare ones; and many documents of news. alpha is 0.1 and beta 0.01.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np

import blocklda
from benchmarks import newswire
from benchmarks.contenders import ALPHA, BETA
from benchmarks.harness import alternate, corpora, machine, median_ratio, table
from blocklda import simulate
from blocklda.models.lda.samplers.registry import choose_sampler

SAMPLERS = ("single-site", "sparse-single-site", "sparse")
TOPICS = (20, 40, 100, 200, 400, 1000)
PAST_THE_START = 15
N_TRUE_TOPICS = 50


def drawn(n_docs: int, length: int, n_words: int, n_stop: int, seed: int) -> blocklda.Corpus:
    """Return a corpus of LDA whose words fall in frequency; some are alike in all topics."""
    rng = np.random.default_rng(seed)
    frequency = 1.0 / np.arange(1, n_words + 1)
    phi = rng.gamma(0.05 + 500.0 * frequency / frequency.sum(), size=(N_TRUE_TOPICS, n_words))
    phi /= phi.sum(axis=1, keepdims=True)
    if n_stop:
        shared = np.zeros(n_words)
        shared[-n_stop:] = 1.0 / n_stop
        phi = 0.7 * phi + 0.3 * shared
    theta = rng.dirichlet(np.full(N_TRUE_TOPICS, 0.05), size=n_docs)
    return simulate.draw_corpus(theta, phi, np.full(n_docs, length), rng)


def all_corpora(names: list[str], quick: bool) -> Iterator[tuple[str, blocklda.Corpus]]:
    """Yield the corpora that were asked for."""
    if quick:
        yield from {**corpora(quick=True), "short texts": drawn(40, 20, 60, 0, 1)}.items()
        return
    makers: dict[str, Callable[[], blocklda.Corpus]] = {
        "KOS": lambda: corpora(quick=False)["KOS"],
        "NIPS": lambda: corpora(quick=False)["NIPS"],
        "short texts": lambda: drawn(30_000, 20, 8_000, 0, 1),
        "stop words": lambda: drawn(4_000, 150, 30_000, 50, 2),
        "news": lambda: newswire.draw(6_000).corpus,
    }
    for name in names or makers:
        yield name, makers[name]()


def measure(corpus: blocklda.Corpus, n_topics: int, rounds: int) -> list[str]:
    """Return a row of the table: each sampler's time ÷ the fastest one's, and what "auto" takes."""
    start = blocklda.Chain(corpus, n_topics, ALPHA, BETA, sampler="sparse-single-site", seed=1)
    start.sweep(PAST_THE_START)
    topics = start.assignments()
    contenders = {
        name: blocklda.Chain(corpus, n_topics, ALPHA, BETA, sampler=name, seed=2, init=topics).sweep
        for name in SAMPLERS
    }
    alternate(contenders, 1)
    seconds = alternate(contenders, rounds, clock=time.process_time)
    fastest = min(seconds, key=lambda name: np.median(seconds[name]))
    ratios = {name: median_ratio(seconds[name], seconds[fastest]) for name in SAMPLERS}
    taken = choose_sampler("auto", n_topics, corpus)
    cells = corpus.n_words * n_topics / corpus.n_tokens
    texts = (f"{ratios[name]:.2f}" for name in SAMPLERS)
    return [f"{cells:.1f}", *texts, f"`{taken}`", f"{ratios[taken]:.2f}"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--repeat", type=int, default=5, help="timed rounds (default: 5)")
    parser.add_argument("--topics", default=",".join(map(str, TOPICS)), help="such as 40,200")
    parser.add_argument("--corpora", default="", help="such as NIPS,short texts (default: all)")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    sizes = [8] if options.quick else [int(text) for text in options.topics.split(",")]
    names = [name for name in options.corpora.split(",") if name]
    header = ["corpus", "K", "cells a token", *(f"`{name}`" for name in SAMPLERS), "auto", "÷ best"]
    rows = []
    for name, corpus in all_corpora(names, options.quick):
        for n_topics in sizes:
            measured = measure(corpus, n_topics, 2 if options.quick else options.repeat)
            rows.append([name, str(n_topics), *measured])
            print(" ".join(rows[-1]), flush=True)
    print(f"\n{machine()}\n\n{table(header, rows)}")


if __name__ == "__main__":
    main()
