"""The HDP against its peers: who samples the posterior, speed, and quality against time.

`python -m benchmarks.nonparametric` prints Markdown tables; `--quick` runs on toy sizes.

1. Enumeration: all partitions of the tokens of tiny corpora have exact probabilities. A sampler's
   total variation from them stands beside that of as many independent draws.
2. Speed: tokens a CPU second of a whole sweep at the same number of live topics, and of LDA's
   `sparse` with α = α₀τ.
3. Quality: held-out perplexity on KOS after equal CPU time.

tomotopy does not take assignments, so its chain starts from its own initial topics.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import tomotopy

import blocklda
from benchmarks.harness import arguments, corpora
from blocklda.models.lda.predictive import perplexity
from tests.models.hdp.problem import REVEALING, SHARED, Problem

ITERATIONS = 100
"""Of tomotopy in the race; the others have the CPU time that these take."""

STARTS = (2, 100, 200)


# --- who samples the posterior


def total_variation(problem: Problem, states: Iterator[np.ndarray], n: int) -> float:
    """Return how far the frequencies of partitions are from their probabilities."""
    seen = Counter(problem.key(topics) for topics in states)
    observed = np.array([seen[key] for key in problem.keys]) / n
    return float(np.abs(observed - problem.probabilities).sum() / 2)


def independent(problem: Problem, n: int) -> float:
    """Return the mean total variation of as many independent draws."""
    draws = np.random.default_rng(1).multinomial(n, problem.probabilities, size=20) / n
    return float(np.abs(draws - problem.probabilities).sum(axis=1).mean() / 2)


def our_states(problem: Problem, n: int, thin: int) -> Iterator[np.ndarray]:
    chain = blocklda.HDPChain(
        problem.corpus,
        alpha0=problem.alpha0,
        gamma=problem.gamma,
        beta=problem.beta,
        learn=False,
        initial_topics=3,
    )
    for _ in range(n):
        chain.sweep(thin)
        yield chain.assignments()


def their_states(problem: Problem, n: int, thin: int) -> Iterator[np.ndarray]:
    model = new_tomotopy(problem.corpus, problem.alpha0, problem.gamma, problem.beta, 2)
    model.optim_interval = 0
    for _ in range(n):
        model.train(thin, workers=1)
        topics: list[int] = []
        for document in model.docs:
            order = np.argsort(
                [int(word) for word in map(model.vocabs.__getitem__, document.words)]
            )
            topics += [document.topics[i] for i in order]
        yield np.unique(topics, return_inverse=True)[1]


def print_enumeration(n: int, thin: int) -> None:
    print("| corpus | blocklda | tomotopy | independent draws |\n|---|---:|---:|---:|")
    for name, problem in {"4+1, 2": REVEALING, "3+1, 1+1": SHARED}.items():
        ours = total_variation(problem, our_states(problem, n, thin), n)
        theirs = total_variation(problem, their_states(problem, n, thin), n)
        print(f"| {name} | {ours:.3f} | {theirs:.3f} | {independent(problem, n):.3f} |")


# --- tomotopy


def new_tomotopy(
    corpus: blocklda.Corpus, alpha0: float, gamma: float, beta: float, n_topics: int
) -> tomotopy.HDPModel:
    """Return its HDP with the documents of a corpus; words are numbers."""
    model = tomotopy.HDPModel(initial_k=n_topics, alpha=alpha0, gamma=gamma, eta=beta, seed=1)
    for first, last in zip(corpus.doc_offsets[:-1], corpus.doc_offsets[1:], strict=True):
        words = np.repeat(corpus.word_ids[first:last], corpus.counts[first:last])
        if len(words):
            model.add_doc([str(word) for word in words])
    model.train(0)
    return model


def their_perplexity(
    model: tomotopy.HDPModel, train: blocklda.Corpus, test: blocklda.Corpus
) -> float:
    """Return the perplexity of held-out tokens under θ and φ of its present state."""
    live = [k for k in range(model.k) if model.is_live_topic(k)]
    phi = np.full((len(live), train.n_words), 1.0 / train.n_words)
    columns = [int(word) for word in model.used_vocabs]
    for i, k in enumerate(live):
        phi[i, columns] = model.get_topic_word_dist(k)
    phi /= phi.sum(axis=1, keepdims=True)
    probabilities = np.empty(test.n_entries)
    filled = iter(list(model.docs))
    for d, length in enumerate(train.doc_lengths()):
        theta = np.array(next(filled).get_topic_dist())[live] if length else np.ones(len(live))
        entries = slice(test.doc_offsets[d], test.doc_offsets[d + 1])
        probabilities[entries] = (theta / theta.sum()) @ phi[:, test.word_ids[entries]]
    return perplexity(probabilities, test)


# --- speed and quality


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def print_speed(corpus: blocklda.Corpus, n_topics: int, sweeps: int) -> None:
    chain = blocklda.HDPChain(corpus, init="variational", initial_topics=n_topics)
    chain.sweep(20)
    weights = chain.alpha0 * chain.topic_weights()[:-1]
    lda = blocklda.Chain(
        corpus,
        chain.n_topics,
        alpha=weights,
        beta=chain.beta,
        sampler="sparse",
        init=chain.assignments(),
    )
    lda.sweep(2)
    model = new_tomotopy(corpus, 1.0, 1.0, chain.beta, n_topics)
    model.train(5, workers=1)
    ours = cpu(lambda: chain.sweep(sweeps))
    fixed = cpu(lambda: lda.sweep(sweeps))
    theirs = cpu(lambda: model.train(sweeps, workers=1))
    rate = corpus.n_tokens * sweeps / 1e6
    print("| | live topics | M tokens / CPU s |\n|---|---:|---:|")
    print(f"| blocklda HDP | {chain.n_topics} | {rate / ours:.2f} |")
    print(f"| blocklda LDA, sparse | {lda.n_topics} | {rate / fixed:.2f} |")
    print(f"| tomotopy HDP | {model.live_k} | {rate / theirs:.2f} |")
    print(f"\nHDP sweep ÷ LDA sweep: {ours / fixed:.2f}; tomotopy ÷ blocklda: {theirs / ours:.1f}")


def print_quality(corpus: blocklda.Corpus, iterations: int) -> None:
    docs = np.arange(corpus.n_docs - corpus.n_docs // 8, corpus.n_docs)
    train_matrix, test_matrix = blocklda.split_tokens(corpus, docs, 1)
    train, test = (blocklda.Corpus.from_matrix(one) for one in (train_matrix, test_matrix))
    print("| | CPU s | topics | one state | mean over draws |\n|---|---:|---:|---:|---:|")
    allowed = 0.0
    for n_topics in STARTS:
        model = new_tomotopy(train, 0.1, 0.1, 0.1, n_topics)
        seconds = cpu(lambda model=model: model.train(iterations, workers=1))
        allowed = max(allowed, seconds)
        found = their_perplexity(model, train, test)
        print(f"| tomotopy, {n_topics} topics | {seconds:.1f} | {model.live_k} | {found:.0f} | |")
    for n_topics in (2, 200):
        chain = blocklda.HDPChain(train, init="variational", initial_topics=n_topics)
        seconds, total, n_draws = 0.0, np.zeros(test.n_entries), 0
        while seconds < allowed:
            seconds += cpu(lambda chain=chain: chain.sweep(2))
            state = chain.draw().predictive(test)
            if seconds > allowed / 2:
                total, n_draws = total + state, n_draws + 1
        one, mean = perplexity(state, test), perplexity(total / max(1, n_draws), test)
        print(
            f"| blocklda, {n_topics} topics | {seconds:.1f} | {chain.n_topics} | {one:.0f} | "
            f"{mean:.0f} |"
        )


def main() -> None:
    options = arguments(__doc__)
    corpus = next(iter(corpora(options.quick).values()))
    print("## Who samples the posterior: total variation\n")
    print_enumeration(300 if options.quick else 4_000, 4 if options.quick else 10)
    print("\n## Speed\n")
    print_speed(corpus, 20 if options.quick else 200, 3 if options.quick else 20)
    print("\n## Held-out perplexity\n")
    print_quality(corpus, 5 if options.quick else ITERATIONS)


if __name__ == "__main__":
    main()
