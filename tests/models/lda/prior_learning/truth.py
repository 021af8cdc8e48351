"""A corpus whose priors are known, and the topics its tokens came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import blocklda
from blocklda.simulate import draw_assignments, draw_corpus

ALPHA = np.array([0.1, 0.2, 0.4, 0.8])
BETA = 0.1


@dataclass(frozen=True, eq=False)
class Truth:
    corpus: blocklda.Corpus
    topics: np.ndarray
    alpha: np.ndarray
    beta: float

    def chain(self, sampler: str, **settings: object) -> blocklda.Chain:
        """A chain that starts at the true topics, with wrong priors, unless told otherwise."""
        settings = {"init": self.topics, "seed": 1, "alpha": 1.0, "beta": 1.0, **settings}
        return blocklda.Chain(self.corpus, len(self.alpha), sampler=sampler, **settings)


def simulated(seed: int, n_docs: int = 400, n_words: int = 200, length: int = 100) -> Truth:
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(ALPHA, size=n_docs)
    phi = rng.dirichlet(np.full(n_words, BETA), size=len(ALPHA))
    corpus = draw_corpus(theta, phi, length, rng)
    return Truth(corpus, draw_assignments(corpus, theta, phi, rng), ALPHA, BETA)
