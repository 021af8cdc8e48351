"""The HDP against its peers: who samples the posterior, speed, and quality against time.

`python -m benchmarks.nonparametric` prints Markdown tables; `--quick` runs on toy sizes.

`--part NAME` runs one of them:

- enumeration: all partitions of the tokens of tiny corpora have exact probabilities. A sampler's
  total variation from them stands beside that of as many independent draws.
- speed: tokens a CPU second of a whole sweep at 13, 200 and 1,000 live topics, and of LDA's
  `sparse` with α = α₀τ.
- sequential: CPU time of a whole sweep with blocks that are drawn sequentially, relative to that of
  a sweep in which all are drawn from their conditional, at 200 and 1,000 live topics.
- quality: held-out perplexity on KOS after equal CPU time.
- starts: the number of topics over sweeps of KOS, from 2 and from 500 topics.
- births: the number of topics of NIPS from 2 topics, β = 0.01, by blocks and one token at a time.
- default: `HDP().fit` against `LDA(n_topics=40).fit`, mean over the draws that they keep.
- gensim: the variational HDP of gensim on KOS, one pass.
- transform: new documents a CPU second, HDP against LDA.

tomotopy does not take assignments, so its chain starts from its own initial topics.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from unittest.mock import patch

import numpy as np
import tomotopy

import blocklda
from benchmarks.harness import corpora, machine, table
from blocklda.models.lda.predictive import perplexity
from blocklda.models.lda.samplers.sparse.plan import sequential_part
from tests.models.hdp.problem import REVEALING, SHARED, Problem

ITERATIONS = 100
"""Of tomotopy in the race; the others have the CPU time that these take."""

STARTS = (2, 100, 200)

SIZES = (13, 200, 1_000)
"""Live topics at which speed is measured."""


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
    # Few topics would grow, and small β keeps many alive.
    beta = 0.1 if n_topics <= 200 else 0.01
    chain = blocklda.HDPChain(corpus, init="variational", initial_topics=n_topics, beta=beta)
    chain.sweep(5)
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
    ours, fixed, theirs = 0.0, 0.0, 0.0
    for _ in range(sweeps):
        ours += cpu(lambda: chain.sweep(1))
        fixed += cpu(lambda: lda.sweep(1))
        theirs += cpu(lambda: model.train(1, workers=1))
    rate = corpus.n_tokens * sweeps / 1e6
    print("| | live topics | M tokens / CPU s |\n|---|---:|---:|")
    print(f"| blocklda HDP | {chain.n_topics} | {rate / ours:.2f} |")
    print(f"| blocklda LDA, sparse | {lda.n_topics} | {rate / fixed:.2f} |")
    print(f"| tomotopy HDP | {model.live_k} | {rate / theirs:.2f} |")
    print(
        f"\nHDP sweep ÷ LDA sweep: {ours / fixed:.2f}; tomotopy ÷ blocklda: {theirs / ours:.1f}\n"
    )


def print_sequential(corpus: blocklda.Corpus, n_topics: int, sweeps: int) -> None:
    """Compare sweeps of one chain in turn, with and without blocks that are drawn sequentially."""
    beta = 0.1 if n_topics <= SIZES[1] else 0.01
    chain = blocklda.HDPChain(corpus, init="variational", initial_topics=n_topics, beta=beta)
    chain.sweep(5)
    seconds = {1: 0.0, sequential_part(None): 0.0}
    for i in range(sweeps):
        for part in sorted(seconds, reverse=i % 2 == 1):
            with patch("blocklda.models.hdp.sampler.sequential_part", lambda _, part=part: part):
                seconds[part] += cpu(lambda: chain.sweep(1))
    all_at_once, sequential = seconds.values()
    print(
        f"{chain.n_topics} topics: sweep with sequential blocks ÷ sweep without them: "
        f"{sequential / all_at_once:.3f}\n"
    )


def halves(corpus: blocklda.Corpus) -> tuple[blocklda.Corpus, blocklda.Corpus]:
    """Return a corpus without half of the tokens of its last documents, and these tokens."""
    docs = np.arange(corpus.n_docs - corpus.n_docs // 8, corpus.n_docs)
    train, test = blocklda.split_tokens(corpus, docs, 1)
    return blocklda.Corpus.from_matrix(train), blocklda.Corpus.from_matrix(test)


def print_quality(corpus: blocklda.Corpus, iterations: int) -> None:
    train, test = halves(corpus)
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


# --- how many topics there are


def counts_over_sweeps(chain: blocklda.HDPChain, sweeps: list[int]) -> list[int]:
    """Advance a chain and return its number of topics at some sweeps."""
    found = []
    for sweep in sweeps:
        chain.sweep(sweep - chain.n_sweeps)
        found.append(chain.n_topics)
    return found


def print_starts(corpus: blocklda.Corpus, n_sweeps: int) -> None:
    sweeps = sorted({max(1, n_sweeps * part // 16) for part in (1, 2, 4, 8, 12, 16)})
    rows, last = [], []
    for n_topics in (2, 500):
        chain = blocklda.HDPChain(corpus, beta=0.1, init="random", initial_topics=n_topics, seed=1)
        found = counts_over_sweeps(chain, sweeps)
        last.append(found[-1])
        rows.append([f"from {n_topics}", *map(str, found)])
    print(table(["topics after sweep", *map(str, sweeps)], rows))
    print(f"\nratio after {n_sweeps} sweeps: {max(last) / min(last):.2f}\n")


def print_births(corpus: blocklda.Corpus, n_sweeps: int) -> None:
    sweeps = sorted({max(1, n_sweeps * part // 6) for part in (1, 2, 4, 6)})
    print("| | " + " | ".join(f"sweep {n}" for n in sweeps) + " | CPU s |")
    print("|---|" + "---:|" * (len(sweeps) + 1))
    for sampler in ("sparse", "sparse-single-site"):
        chain = blocklda.HDPChain(
            corpus, beta=0.01, init="random", initial_topics=2, seed=1, sampler=sampler
        )
        start = time.process_time()
        found = map(str, counts_over_sweeps(chain, sweeps))
        cells = " | ".join(found)
        print(f"| {sampler} | {cells} | {time.process_time() - start:.0f} |", flush=True)


# --- fits as they come


def print_default(corpus: blocklda.Corpus, settings: dict[str, int]) -> None:
    train, test = halves(corpus)
    common = {"random_state": 1, "progress": False, **settings}
    rows, found = [], []
    for name, model in {
        "LDA(n_topics=40)": blocklda.LDA(n_topics=40, **common),
        "HDP()": blocklda.HDP(**common),
    }.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seconds = cpu(lambda model=model: model.fit(train))
        found.append(perplexity(np.exp(model.log_predictive(test)), test))
        n_topics = len(model.components_)
        rows.append([name, f"{seconds:.0f}", str(n_topics), f"{found[-1]:.0f}"])
    print(table(["", "CPU s", "topics", "perplexity, mean over draws"], rows))
    print(f"\nHDP ÷ LDA: {found[1] / found[0]:.3f}\n")


def print_gensim(corpus: blocklda.Corpus) -> None:
    from gensim.corpora import Dictionary  # noqa: PLC0415
    from gensim.models import HdpModel  # noqa: PLC0415

    train, test = halves(corpus)
    matrix = train.to_matrix()
    documents = [list(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in matrix]
    names = Dictionary([[str(v)] for v in range(train.n_words)])
    names.token2id = {str(v): v for v in range(train.n_words)}
    names.id2token = {v: str(v) for v in range(train.n_words)}
    start = time.process_time()
    model = HdpModel(documents, names, random_state=1)
    seconds = time.process_time() - start
    phi = model.get_topics()
    probabilities = np.empty(test.n_entries)
    used = np.zeros(len(phi))
    for d, document in enumerate(documents):
        gamma = model.inference([document])[0]
        theta = gamma / gamma.sum()
        used += theta * sum(n for _, n in document)
        entries = slice(test.doc_offsets[d], test.doc_offsets[d + 1])
        probabilities[entries] = theta @ phi[:, test.word_ids[entries]]
    ends = np.cumsum(np.sort(used)[::-1]) / used.sum()
    n_95 = int(np.searchsorted(ends, 0.95)) + 1
    rate = train.n_tokens / seconds / 1e6
    rows = [
        [
            "gensim HdpModel",
            f"{rate:.3f}",
            f"{n_95} of {len(phi)}",
            f"{perplexity(probabilities, test):.0f}",
        ]
    ]
    print(table(["", "M tokens / CPU s", "topics with 95 %", "perplexity"], rows), "\n")


def print_transform(corpus: blocklda.Corpus, n_sweeps: int) -> None:
    matrix = corpus.to_matrix()
    new = blocklda.Corpus.from_matrix(matrix[-(corpus.n_docs // 8) :])
    train = blocklda.Corpus.from_matrix(matrix[: -(corpus.n_docs // 8)])
    common = {"n_sweeps": n_sweeps, "thin": 1, "random_state": 1, "progress": False}
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hdp = blocklda.HDP(**common).fit(train)
        lda = blocklda.LDA(n_topics=len(hdp.components_), **common).fit(train)
    for name, work in {
        "HDP.transform": lambda: hdp.transform(new),
        "LDA.transform": lambda: lda.transform(new),
        "LDA.transform, n_draws=1": lambda: lda.transform(new, n_draws=1),
    }.items():
        work()
        rows.append([name, f"{new.n_docs / cpu(work):.0f}"])
    print(table([f"{len(hdp.components_)} topics", "documents / CPU s"], rows), "\n")


PARTS = (
    "enumeration",
    "speed",
    "sequential",
    "quality",
    "starts",
    "births",
    "default",
    "gensim",
    "transform",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--part", choices=PARTS, help="one part; all of them without it")
    options = parser.parse_args()
    quick = options.quick
    data = corpora(quick)
    corpus, last = next(iter(data.values())), list(data.values())[-1]
    print(machine(), "\n")
    work: dict[str, Callable[[], None]] = {
        "enumeration": lambda: print_enumeration(300 if quick else 4_000, 4 if quick else 10),
        "speed": lambda: [  # type: ignore[func-returns-value]
            print_speed(corpus, n, 3 if quick else 12) for n in ((5, 20) if quick else SIZES)
        ],
        "sequential": lambda: [  # type: ignore[func-returns-value]
            print_sequential(corpus, n, 2 if quick else 30) for n in ((20,) if quick else SIZES[1:])
        ],
        "quality": lambda: print_quality(corpus, 5 if quick else ITERATIONS),
        "starts": lambda: print_starts(corpus, 16 if quick else 400),
        "births": lambda: print_births(last, 6 if quick else 60),
        "default": lambda: print_default(corpus, {"n_sweeps": 12, "thin": 1} if quick else {}),
        "gensim": lambda: print_gensim(corpus),
        "transform": lambda: print_transform(corpus, 12 if quick else 60),
    }
    for name in [options.part] if options.part else PARTS:
        print(f"## {name}\n")
        work[name]()
        print(flush=True)


if __name__ == "__main__":
    main()
