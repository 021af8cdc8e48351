"""New documents: time against tomotopy, perplexity against sweeps, agreement with the fit.

The model is the default fit of `LDA` on all but the last documents. θ is inferred with φ frozen:
one φ, the posterior mean, or those of draws spread over the chain.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import tomotopy

import blocklda
from benchmarks.contenders import ALPHA, BETA, Task, Tomotopy
from benchmarks.harness import alternate, corpora, machine, median_ratio, medians, table
from benchmarks.results import Figure, Target, figures_table
from blocklda.evaluate import left_to_right
from blocklda.models.lda.new_documents.infer import (
    N_SWEEPS,
    completion_log_probability,
    infer_doc_topics,
)
from blocklda.models.lda.new_documents.topic_draws import N_TOPIC_DRAWS, TopicDraws

HELDOUT_DOCS = {"KOS": 430, "NIPS": 250}
REFERENCE = 200
"""Sweeps, for each φ, that others are compared with."""

FAST = {"n_draws": 1, "n_sweeps": 12}
"""Few sweeps with the mean of φ, which still predict within 1 % of REFERENCE of them."""

SETTINGS: dict[str, dict[str, int]] = {
    "default": {"n_draws": N_TOPIC_DRAWS, "n_sweeps": N_SWEEPS},
    "8 draws, 16 sweeps": {"n_draws": 8, "n_sweeps": 16},
    "8 draws, 48 sweeps": {"n_draws": 8, "n_sweeps": 48},
    "mean φ, 12 sweeps": FAST,
    "mean φ, 32 sweeps": {"n_draws": 1, "n_sweeps": 32},
    "mean φ, 100 sweeps": {"n_draws": 1, "n_sweeps": 100},
}

THEIR_ITERATIONS = 100
"""tomotopy's default."""

FASTER = Target("≥", 10)
NEAR_THE_FIT = Target("≤", 0.05)
WITHIN_A_HUNDREDTH = Target("≤", 1.01)


@dataclass
class Model:
    """A fit, and the documents it has not seen."""

    name: str
    lda: blocklda.LDA
    train: blocklda.Corpus
    new: blocklda.Corpus
    tables: dict[int, Sequence[np.ndarray]] = field(default_factory=dict)

    def topics(self, n_draws: int) -> Sequence[np.ndarray]:
        """φ as `transform` takes it, in a table of its own that stays."""
        if n_draws not in self.tables:
            made = TopicDraws(self.lda.result_.reference_draws, lambda: self.lda.components_)
            self.tables[n_draws] = made.tables(n_draws)
        return self.tables[n_draws]

    def infer(self, documents: blocklda.Corpus, n_draws: int, n_sweeps: int) -> np.ndarray:
        return infer_doc_topics(documents, self.topics(n_draws), ALPHA, n_sweeps=n_sweeps)


def fitted(name: str, corpus: blocklda.Corpus, n_topics: int, seed: int) -> Model:
    matrix = corpus.to_matrix()
    cut = corpus.n_docs - HELDOUT_DOCS.get(name, corpus.n_docs // 4)
    train, new = (blocklda.Corpus.from_matrix(part) for part in (matrix[:cut], matrix[cut:]))
    lda = blocklda.LDA(n_topics, alpha=ALPHA, beta=BETA, random_state=seed).fit(train)
    return Model(name, lda, train, new)


def speed(model: Model, rounds: int, seed: int) -> Iterator[Figure]:
    """Time of tomotopy's `infer` on a list of documents ÷ ours, one thread each."""
    K = model.lda.n_topics
    peer = Tomotopy(Task(model.name, model.train, model.new, K, seed))
    peer.sweep(60)
    words = Task(model.name, model.new, model.new, K, seed).documents()
    documents = [peer.model.make_doc(document) for document in words]

    def theirs(iterations: int) -> None:
        peer.model.infer(
            documents,
            iterations=iterations,
            workers=1,
            parallel=tomotopy.ParallelScheme.NONE,
        )

    contenders: dict[str, Callable[[], object]] = {
        "tomotopy, 100 iterations": partial(theirs, THEIR_ITERATIONS),
        f"tomotopy, {FAST['n_sweeps']} iterations": partial(theirs, FAST["n_sweeps"]),
    }
    for name, settings in SETTINGS.items():
        contenders[name] = partial(model.infer, model.new, **settings)
    alternate(contenders, 1)
    seconds = alternate(contenders, rounds)
    for name, median in medians(seconds).items():
        print(f"{model.name}, K={K}, {name}: {1000 * median / model.new.n_docs:.3f} ms a document")
    for name in SETTINGS:
        ratio = median_ratio(seconds["tomotopy, 100 iterations"], seconds[name])
        target = FASTER if name in ("default", "mean φ, 12 sweeps") else None
        yield Figure(f"tomotopy, 100 iterations ÷ {name}, K={K}", model.name, ratio, target)
    theirs_fast = seconds[f"tomotopy, {FAST['n_sweeps']} iterations"]
    ratio = median_ratio(theirs_fast, seconds["mean φ, 12 sweeps"])
    yield Figure(f"— 12 iterations ÷ mean φ, 12 sweeps, K={K}", model.name, ratio)


def quality(model: Model) -> Iterator[Figure]:
    """Held-out perplexity of new documents against that of many sweeps with the same φ."""
    K = model.lda.n_topics

    def perplexity(n_draws: int, n_sweeps: int) -> float:
        topics = model.topics(n_draws)
        return completion_log_probability(model.new, topics, ALPHA, n_sweeps=n_sweeps).perplexity

    numbers = {settings["n_draws"] for settings in SETTINGS.values()}
    reference = {n: perplexity(n, REFERENCE * n) for n in sorted(numbers)}
    for n, level in reference.items():
        print(f"{model.name}, K={K}: perplexity {level:.1f}, φ of {n}, {REFERENCE} sweeps for each")
    for name, settings in SETTINGS.items():
        ratio = perplexity(**settings) / reference[settings["n_draws"]]
        yield Figure(
            f"perplexity, {name} ÷ {REFERENCE} sweeps for each φ, K={K}",
            model.name,
            ratio,
            WITHIN_A_HUNDREDTH,
        )
    ratio = reference[N_TOPIC_DRAWS] / reference[1]
    yield Figure(
        f"— {N_TOPIC_DRAWS} draws ÷ mean φ, {REFERENCE} for each, K={K}", model.name, ratio
    )


def agreement(model: Model) -> Iterator[Figure]:
    """Mean total variation between θ inferred for training documents and the fit's own."""
    for name, settings in SETTINGS.items():
        theta = model.infer(model.train, **settings)
        distance = float(np.abs(theta - model.lda.doc_topic_).sum(axis=1).mean() / 2)
        target = NEAR_THE_FIT if name == "default" else None
        measure = f"distance to doc_topic_, {name}, K={model.lda.n_topics}"
        yield Figure(measure, model.name, distance, target)


def reading(model: Model, particles: list[int]) -> None:
    """Print left-to-right estimates of some documents against the number of particles."""
    some = blocklda.Corpus.from_matrix(model.new.to_matrix()[:60])
    rows = []
    for n in particles:
        start = time.perf_counter()
        result = left_to_right(model.lda.components_, ALPHA, some, n_particles=n)
        seconds = time.perf_counter() - start
        spread = float(np.sqrt(result.batches.var(axis=1, ddof=1).mean()))
        rows.append(
            [
                str(n),
                f"{result.log_probability:.0f} ± {result.standard_error:.0f}",
                f"{result.batches.mean(axis=1).sum():.0f}",
                f"{spread:.2f}",
                f"{result.perplexity:.0f}",
                f"{1000 * seconds / some.n_docs:.1f}",
            ]
        )
    print(f"\n{model.name}, K={model.lda.n_topics}, left to right, {some.n_docs} documents\n")
    header = [
        "particles in a batch",
        "log probability",
        "without half the variance",
        "σ of a batch",
        "perplexity",
        "ms a document",
    ]
    print(table(header, rows), flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--repeat", type=int, default=5, help="timed rounds (default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="of fits and splits")
    parser.add_argument("--corpora", default="KOS,NIPS", help="which of them (default: both)")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    print(machine())
    figures: list[Figure] = []
    for name, corpus in corpora(options.quick).items():
        if not options.quick and name not in options.corpora.split(","):
            continue
        model = fitted(name, corpus, 5 if options.quick else 100, options.seed)
        figures += speed(model, 1 if options.quick else options.repeat, options.seed)
        figures += quality(model)
        for n_topics in [5] if options.quick else [32, 40, 100] if name == "KOS" else []:
            model = fitted(name, corpus, n_topics, options.seed)
            figures += agreement(model)
            if n_topics <= 40:
                reading(model, [2, 4] if options.quick else [5, 20, 80])
    print()
    print(figures_table(figures))


if __name__ == "__main__":
    main()
