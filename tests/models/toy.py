"""A second model, as small as one can be: documents in clusters whose number changes.

A Dirichlet process mixture of multinomials: each document has one label, a new cluster may
open with every move, and an empty one closes. It shows what a model has to bring, and no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln

from blocklda.data.corpus import Corpus
from blocklda.models import base
from blocklda.models.base import Model, Quantity, Role, Stored

BETA, CONCENTRATION = 0.5, 1.0


@dataclass(kw_only=True)
class Clusters(base.State):
    """One label per document, from 0 up without gaps."""

    labels: np.ndarray
    changing: ClassVar[tuple[str, ...]] = ("labels",)


@dataclass(frozen=True, eq=False)
class Clustering:
    chain: int
    sweep: int
    labels: np.ndarray
    counts: np.ndarray

    @property
    def n_bytes(self) -> int:
        return self.labels.nbytes

    def sizes(self) -> np.ndarray:
        return np.bincount(self.labels)

    def topic_word(self) -> np.ndarray:
        by_cluster = np.array([self.counts[self.labels == k].sum(axis=0) for k in range(self.n)])
        return (by_cluster + BETA) / (by_cluster + BETA).sum(axis=1, keepdims=True)

    def doc_topic(self) -> np.ndarray:
        return np.eye(self.n)[self.labels]

    @property
    def n(self) -> int:
        return int(self.labels.max()) + 1


def log_marginal(counts: np.ndarray) -> np.ndarray:
    """Return log p(words of each cluster), shape (clusters,), of counts (clusters, words)."""
    n_words = counts.shape[1]
    of_words = gammaln(counts + BETA).sum(axis=1) - n_words * gammaln(BETA)
    return of_words + gammaln(n_words * BETA) - gammaln(counts.sum(axis=1) + n_words * BETA)


def sweep(state: Clusters, options: base.SweepOptions, n_sweeps: int) -> int:
    counts = state.corpus.to_matrix().toarray()
    for _ in range(n_sweeps):
        for d, row in enumerate(counts):
            others = np.arange(len(counts)) != d
            _, labels = np.unique(state.labels[others], return_inverse=True)
            sizes = np.append(np.bincount(labels), CONCENTRATION)
            held = np.zeros((len(sizes), counts.shape[1]))
            np.add.at(held, labels, counts[others])
            weights = np.log(sizes) + log_marginal(held + row) - log_marginal(held)
            ends = np.cumsum(np.exp(weights - weights.max()))
            new = int(np.searchsorted(ends, state.rng.random() * ends[-1], side="right"))
            state.labels[others], state.labels[d] = labels, new
    return n_sweeps * len(counts)


class OneByOne:
    name = "one-by-one"

    def sweep(self, backend: str) -> Any:
        return sweep


class ToyModel(Model):
    kind = "toy"

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._counts = corpus.to_matrix().toarray()

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return (
            Quantity("size", Role.BY_TOPIC, Clustering.sizes, summary="ranks", dtype=np.int64),
            Quantity("n_clusters", Role.SCALAR, lambda draw: draw.n, title="clusters"),
        )

    def start(self, init: Any, rng: np.random.Generator, backend: str) -> Clusters:
        labels = np.arange(self.corpus.n_docs, dtype=np.int64) % init
        return Clusters(corpus=self.corpus, rng=rng, labels=labels)

    def find_sampler(self, name: Any) -> OneByOne:
        return OneByOne()

    def log_level(self, state: Clusters) -> float:
        sizes, held = np.bincount(state.labels), np.zeros((state.labels.max() + 1, 5))
        np.add.at(held, state.labels, self._counts)
        return float(log_marginal(held).sum() + gammaln(sizes).sum())

    def draw(self, state: Clusters, chain: int) -> Clustering:
        return Clustering(chain, state.n_sweeps, state.labels.copy(), self._counts)

    def state_parts(self, state: Clusters) -> tuple[dict[str, Any], base.Arrays]:
        return {}, {"labels": state.labels}

    def restore_state(self, stored: Stored, rng: np.random.Generator, n_sweeps: int) -> Clusters:
        labels = stored.shaped("labels", np.int64, (self.corpus.n_docs,))
        return Clusters(corpus=self.corpus, rng=rng, n_sweeps=n_sweeps, labels=labels)

    def draw_arrays(self, draw: Clustering) -> base.Arrays:
        return {"labels": draw.labels}

    def restore_draw(self, stored: Stored, chain: int, sweep: int, state: Clusters) -> Clustering:
        labels = stored.shaped("labels", np.int64, (self.corpus.n_docs,))
        return Clustering(chain, sweep, labels, self._counts)
