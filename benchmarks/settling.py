"""Does `n_sweeps="auto"` stop too early? Fits that the rule stopped, against long ones.

On each corpus fits of four chains are stopped by the rule; the same chains, from the same seeds,
then run on until they have many more sweeps. Half of the tokens of the last tenth of the documents
are held out. A fit stopped too early if the mean over its draws predicts them worse than the long
fit by more than 1 % of the perplexity, or if it reports fewer reproducible topics by more than a
tenth of all.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import blocklda
from benchmarks.harness import DATA, machine, table
from blocklda import simulate

EXCESS, LOST = 0.01, 0.1


def cases(quick: bool) -> dict[str, tuple[blocklda.Corpus, int]]:
    """Return corpora and numbers of topics."""
    if quick:
        return {"bars": (simulate.bars(n_docs=30, side=3, seed=1).corpus, 6)}
    kos = blocklda.read_corpus(DATA / "docword.kos.txt.gz")
    nips = blocklda.read_corpus(DATA / "docword.nips.txt.gz").to_matrix()
    return {
        "bars": (simulate.bars(n_docs=500, seed=7).corpus, 10),
        "simulated": (simulated(n_docs=1000, n_words=2000, n_topics=20), 20),
        "KOS, K = 20": (kos, 20),
        "KOS, K = 50": (kos, 50),
        "NIPS, 300 documents, K = 40": (blocklda.Corpus.from_matrix(nips[:300]), 40),
    }


def simulated(n_docs: int, n_words: int, n_topics: int) -> blocklda.Corpus:
    """Return a corpus of the model: 100 tokens a document, sparse topics."""
    rng = np.random.default_rng(1)
    theta = rng.dirichlet(np.full(n_topics, 0.1), n_docs)
    phi = rng.dirichlet(np.full(n_words, 0.05), n_topics)
    return simulate.draw_corpus(theta, phi, np.full(n_docs, 100), rng)


def perplexity(lda: blocklda.LDA, heldout: blocklda.Corpus) -> float:
    return float(np.exp(-(heldout.counts * lda.log_predictive(heldout)).sum() / heldout.n_tokens))


def found(lda: blocklda.LDA) -> int:
    return 0 if lda.stable_topics_ is None else int(lda.stable_topics_.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--times", type=float, default=5.0, help="sweeps of long fits ÷ stopped")
    options = parser.parse_args()
    seeds, times = (1, 2.0) if options.quick else (options.seeds, options.times)
    print(machine(), end="\n\n")
    rows, n_early, n_fits = [], 0, 0
    warnings.simplefilter("ignore")
    for name, (corpus, n_topics) in cases(options.quick).items():
        last = np.arange(corpus.n_docs - corpus.n_docs // 10, corpus.n_docs)
        train, heldout = blocklda.split_tokens(corpus, last, 1)
        for seed in range(seeds):
            lda = blocklda.LDA(
                n_topics, n_chains=4, n_jobs=-1, random_state=seed, warm_start=True, progress=False
            ).fit(train)
            stopped = lda.n_sweeps_, perplexity(lda, heldout), found(lda), lda.result_.ending
            lda.set_params(n_sweeps=int(times * lda.n_sweeps_)).fit(train)
            long = lda.n_sweeps_, perplexity(lda, heldout), found(lda)
            early = stopped[1] > (1 + EXCESS) * long[1] or long[2] - stopped[2] > LOST * n_topics
            n_early, n_fits = n_early + early, n_fits + 1
            sweeps, at, topics = zip(stopped[:3], long, strict=True)
            rows.append(
                [
                    name,
                    f"{sweeps[0]} ({stopped[3]}), {sweeps[1]}",
                    f"{at[0]:,.1f}, {at[1]:,.1f}",
                    f"{at[0] / at[1] - 1:+.1%}",
                    f"{topics[0]}, {topics[1]} of {n_topics}",
                    "yes" if early else "no",
                ]
            )
            print(rows[-1], flush=True)
    header = ["corpus", "sweeps", "perplexity", "stopped ÷ long − 1", "found in all", "too early"]
    print()
    print(table(header, rows))
    print(f"\n{n_early} of {n_fits} fits stopped too early.")


if __name__ == "__main__":
    main()
