"""What the weight of seed words does on KOS: whether topics take up their words, and at what price.

For each weight, several chains from a variational start. "most" is the share of seed words that
have more tokens in their topic than in any other, "top 20" the share that are among the 20 most
frequent words of their topic; the last column is the held-out perplexity of the mean over five
states, and its standard deviation between chains: the other topics have to predict as before.
"""

from __future__ import annotations

import argparse

import numpy as np

import blocklda
from benchmarks.harness import corpora, machine, table
from blocklda.models.lda.predictive import perplexity
from blocklda.models.lda.seed_words import SEED_WEIGHT, seeded_beta

SEEDS = {
    0: ("iraq", "war"),
    1: ("poll", "polls"),
    2: ("senate", "race"),
    3: ("court", "rights"),
    4: ("tax", "economy", "jobs"),
}
QUICK_SEEDS = {0: ("r0c0", "r0c1"), 1: ("r1c0", "r2c0")}
BETA = 0.01
WEIGHTS = (0.0, 0.1, 1.0, 10.0, 100.0, 1000.0)


def measure(
    train: blocklda.Corpus, test: blocklda.Corpus, n_topics: int, weight: float, seed: int
) -> tuple[float, float, float]:
    """Return the three figures of one chain."""
    words = train.vocabulary
    seeds = SEEDS if words is not None and "iraq" in words else QUICK_SEEDS
    seeded = seeded_beta(BETA, seeds, words, n_topics, train.n_words, weight or SEED_WEIGHT)
    chain = blocklda.Chain(
        train,
        n_topics,
        beta=seeded if weight else BETA,
        sampler="sparse-single-site",
        init="variational",
        seed=seed,
    )
    chain.sweep(50)
    n_kv = chain.topic_word_counts()
    places = np.argwhere(seeded > BETA)
    most = [n_kv[:, v].argmax() == k for k, v in places]
    top = [(n_kv[k] > n_kv[k, v]).sum() < 20 for k, v in places]
    mean = np.zeros(test.n_entries)
    for _ in range(5):
        chain.sweep(2)
        mean += chain.draw().predictive(test) / 5
    return float(np.mean(most)), float(np.mean(top)), perplexity(mean, test)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--chains", type=int, default=10, help="chains per weight (default: 10)")
    options = parser.parse_args()
    name, corpus = next(iter(corpora(options.quick).items()))
    n_test = 10 if options.quick else 430
    train, heldout = blocklda.split_tokens(corpus, slice(corpus.n_docs - n_test, None), seed=0)
    test = blocklda.Corpus.from_matrix(heldout)
    for n_topics in (10,) if options.quick else (20, 40):
        print(f"\n{name}, K = {n_topics}, beta = {BETA}; {machine()}\n")
        rows = []
        for weight in WEIGHTS[:2] if options.quick else WEIGHTS:
            chains = range(1 if options.quick else options.chains)
            found = np.array([measure(train, test, n_topics, weight, seed) for seed in chains])
            most, top, perplexities = found.T
            rows.append(
                [
                    f"{weight:g}" if weight else "no seed words",
                    f"{most.mean():.2f}",
                    f"{top.mean():.2f}",
                    f"{perplexities.mean():.0f} ± {perplexities.std():.0f}",
                ]
            )
        print(table(["weight", "most", "top 20", "perplexity"], rows), flush=True)


if __name__ == "__main__":
    main()
