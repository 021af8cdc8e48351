"""New documents: time against tomotopy, perplexity against sweeps, agreement with the fit.

The model is the default fit of `LDA` on all but the last documents. θ is inferred with φ frozen:
one φ, the posterior mean, or those of eight draws spread over the chain.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import tomotopy

import blocklda
from benchmarks.contenders import ALPHA, BETA, Task, Tomotopy
from benchmarks.harness import alternate, corpora, machine, median_ratio, medians, table
from benchmarks.results import Figure, Target, figures_table
from blocklda.evaluate import left_to_right
from blocklda.new_documents import N_SWEEPS, completion_log_probability, infer_doc_topics

HELDOUT_DOCS = {"KOS": 430, "NIPS": 250}
N_DRAWS = 8
REFERENCE = 200
"""Sweeps, for each φ, that others are compared with."""

FEWEST = 32
"""Sweeps that still predict within 1 % of REFERENCE: see the table of perplexities."""

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

    @property
    def draws(self) -> list[np.ndarray]:
        """φ of draws from the middles of equal parts of the chain."""
        n = len(self.lda.draws_)
        chosen = ((np.arange(N_DRAWS) + 0.5) * n / N_DRAWS).astype(int)
        return [self.lda.draws_[int(i)].topic_word() for i in np.unique(chosen)]


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
    draws, mean = model.draws, model.lda.components_

    def theirs(iterations: int) -> None:
        peer.model.infer(
            documents,
            iterations=iterations,
            workers=1,
            parallel=tomotopy.ParallelScheme.NONE,
        )

    contenders = {
        "tomotopy 100": lambda: theirs(THEIR_ITERATIONS),
        f"tomotopy {FEWEST}": lambda: theirs(FEWEST),
        "mean φ, fewest": lambda: infer_doc_topics(model.new, mean, ALPHA, n_sweeps=FEWEST),
        "mean φ, 100": lambda: infer_doc_topics(model.new, mean, ALPHA, n_sweeps=THEIR_ITERATIONS),
        "draws, fewest": lambda: infer_doc_topics(model.new, draws, ALPHA, n_sweeps=FEWEST),
        "draws, default": lambda: infer_doc_topics(model.new, draws, ALPHA),
    }
    alternate(contenders, 1)
    seconds = alternate(contenders, rounds)
    for name, median in medians(seconds).items():
        print(f"{model.name}, K={K}, {name}: {1000 * median / model.new.n_docs:.3f} ms a document")
    at_default = seconds["tomotopy 100"]
    for ours, text in (
        ("mean φ, fewest", f"mean φ, {FEWEST} sweeps"),
        ("draws, fewest", f"{len(draws)} draws, {FEWEST} sweeps in all"),
        ("draws, default", f"{len(draws)} draws, default {N_SWEEPS} sweeps in all"),
    ):
        ratio = median_ratio(at_default, seconds[ours])
        yield Figure(f"tomotopy, 100 iterations ÷ {text}, K={K}", model.name, ratio, FASTER)
    ratio = median_ratio(at_default, seconds["mean φ, 100"])
    yield Figure(f"— 100 each, K={K}", model.name, ratio)
    ratio = median_ratio(seconds[f"tomotopy {FEWEST}"], seconds["mean φ, fewest"])
    yield Figure(f"— {FEWEST} each, K={K}", model.name, ratio)


def quality(model: Model, sweeps: list[int]) -> Iterator[Figure]:
    """Held-out perplexity of new documents against the number of sweeps in all."""
    K = model.lda.n_topics
    draws = model.draws
    kinds = {"mean φ": model.lda.components_, f"{len(draws)} draws": draws}

    def perplexity(kind: str, n_sweeps: int, seed: int = 0) -> float:
        result = completion_log_probability(
            model.new, kinds[kind], ALPHA, n_sweeps=n_sweeps, seed=seed
        )
        return result.perplexity

    reference = {
        "mean φ": perplexity("mean φ", REFERENCE),
        f"{len(draws)} draws": perplexity(f"{len(draws)} draws", REFERENCE * len(draws)),
    }
    rows = [
        [str(n), *(f"{perplexity(kind, n) / reference[kind]:.4f}" for kind in kinds)]
        for n in sweeps
    ]
    levels = ", ".join(f"{kind} {value:.1f}" for kind, value in reference.items())
    print(f"\n{model.name}, K={K}: perplexity ÷ that of {REFERENCE} sweeps for each φ ({levels})\n")
    print(table(["sweeps in all", *kinds], rows), flush=True)
    for kind in kinds:
        for n in (FEWEST, N_SWEEPS):
            yield Figure(
                f"perplexity, {kind}, {n} sweeps ÷ {REFERENCE} for each φ, K={K}",
                model.name,
                perplexity(kind, n) / reference[kind],
                WITHIN_A_HUNDREDTH,
            )
    ratio = reference[f"{len(draws)} draws"] / reference["mean φ"]
    yield Figure(f"— {len(draws)} draws ÷ mean φ, K={K}", model.name, ratio)


def agreement(model: Model) -> Iterator[Figure]:
    """Mean total variation between θ inferred for training documents and the fit's own."""
    K = model.lda.n_topics
    draws = model.draws
    for text, phi in (("mean φ", model.lda.components_), (f"{len(draws)} draws", draws)):
        for n in (FEWEST, N_SWEEPS):
            theta = infer_doc_topics(model.train, phi, ALPHA, n_sweeps=n)
            distance = float(np.abs(theta - model.lda.doc_topic_).sum(axis=1).mean() / 2)
            measure = f"distance to doc_topic_, {text}, {n} sweeps, K={K}"
            yield Figure(measure, model.name, distance, NEAR_THE_FIT)


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
        figures += quality(model, [8, 16] if options.quick else [32, 48, 64, 96, 160])
        for n_topics in [5] if options.quick else [32, 40] if name == "KOS" else []:
            model = fitted(name, corpus, n_topics, options.seed)
            figures += agreement(model)
            reading(model, [2, 4] if options.quick else [5, 20, 80])
    print()
    print(figures_table(figures))


if __name__ == "__main__":
    main()
