"""Tokens per second of our samplers and of the packages lda and tomotopy, in one run.

One thread each, the same corpus, priors and number of topics, random start, no learning of the
priors. Each contender sweeps in turn; a sweep visits every token once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import lda
import numpy as np
import tomotopy

import blocklda
from benchmarks.harness import alternate, arguments, corpora, machine, median_ratio, medians, table

ALPHA, BETA = 0.1, 0.01
OURS = ("single-site", "nested")


def ours(corpus: blocklda.Corpus, n_topics: int, sampler: str) -> Callable[[], object]:
    chain = blocklda.Chain(corpus, n_topics, ALPHA, BETA, sampler=sampler, seed=1)
    return chain.sweep


def lda_package(corpus: blocklda.Corpus, n_topics: int) -> Callable[[], object]:
    """One sweep of `lda` on its own state, by the function that its fit calls in a loop."""
    logging.getLogger("lda").setLevel(logging.ERROR)
    model = lda.LDA(n_topics=n_topics, n_iter=1, alpha=ALPHA, eta=BETA, random_state=1)
    model._initialize(corpus.to_matrix())
    return lambda: model._sample_topics(model._rands)


def tomotopy_package(corpus: blocklda.Corpus, n_topics: int) -> Callable[[], object]:
    """One iteration of tomotopy with one worker; it trains on what `add_doc` was given."""
    model = tomotopy.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=1)
    model.optim_interval = 0
    words = np.array([f"w{v}" for v in range(corpus.n_words)])
    for first, last in zip(corpus.doc_offsets[:-1], corpus.doc_offsets[1:], strict=True):
        tokens = np.repeat(words[corpus.word_ids[first:last]], corpus.counts[first:last])
        if len(tokens):
            model.add_doc(tokens.tolist())
    model.train(0, workers=1)
    return lambda: model.train(1, workers=1, parallel=tomotopy.ParallelScheme.NONE)


def main() -> None:
    options = arguments(__doc__)
    sizes = [8] if options.quick else [40, 200, 1000]
    rounds = 2 if options.quick else options.repeat
    names = [*OURS, "lda", "tomotopy"]
    print(f"\nM tokens/s, and single-site ÷ each peer; {machine()}\n")
    rows = []
    for corpus_name, corpus in corpora(options.quick).items():
        for n_topics in sizes:
            contenders = {name: ours(corpus, n_topics, name) for name in OURS}
            contenders["lda"] = lda_package(corpus, n_topics)
            contenders["tomotopy"] = tomotopy_package(corpus, n_topics)
            alternate(contenders, 1 if options.quick else 3)  # past the random start
            seconds = alternate(contenders, rounds)
            speeds = [corpus.n_tokens / medians(seconds)[name] / 1e6 for name in names]
            ratios = [median_ratio(seconds[peer], seconds["single-site"]) for peer in names[2:]]
            rows.append(
                [
                    f"{corpus_name}, K={n_topics}",
                    *(f"{speed:.1f}" for speed in speeds),
                    *(f"{ratio:.1f}×" for ratio in ratios),
                ]
            )
    print(table(["", *names, "÷ lda", "÷ tomotopy"], rows))


if __name__ == "__main__":
    main()
