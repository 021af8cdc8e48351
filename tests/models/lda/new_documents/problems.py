"""Tiny documents with known φ: their exact posterior mean of θ and probability, by enumeration."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

import blocklda
from blocklda.models.lda.new_documents.fold_in import Folding


@dataclass(frozen=True)
class KnownTopics:
    """A document as counts of words, φ and α; with few tokens all assignments can be listed."""

    counts: tuple[int, ...]
    phi: tuple[tuple[float, ...], ...]
    alpha: tuple[float, ...]

    @property
    def matrix(self) -> np.ndarray:
        return np.array([self.counts])

    def exact(self) -> tuple[np.ndarray, float]:
        """Return E[θ | w, φ] and p(w | φ), summing over all z.

        p(z, w) = Γ(A) / Γ(A + N) ∏_k Γ(n_k + α_k) / Γ(α_k) ∏_i φ_{z_i w_i}, A = Σ_k α_k.
        """
        phi, alpha = np.array(self.phi), np.array(self.alpha)
        words = np.repeat(np.arange(len(self.counts)), self.counts)
        z = np.array(list(itertools.product(range(len(alpha)), repeat=len(words))))
        n_k = (z[:, :, None] == np.arange(len(alpha))).sum(axis=1)
        total = alpha.sum()
        log_p = gammaln(total) - gammaln(total + len(words))
        log_p = log_p + (gammaln(n_k + alpha) - gammaln(alpha)).sum(axis=1)
        p = np.exp(log_p) * phi[z, words].prod(axis=1)
        theta = (n_k + alpha) / (total + len(words))
        return p @ theta / p.sum(), float(p.sum())


def sampled_theta(
    corpus: blocklda.Corpus,
    phi: object,
    alpha: object,
    *,
    n_sweeps: int,
    burn_in: int = 0,
    seed: int = 0,
    backend: str = "native",
) -> np.ndarray:
    """Return what Gibbs sampling makes of θ, however short the documents; ``phi`` are several."""
    folding = Folding.create(corpus, phi, alpha, n_sweeps, burn_in, seed, backend, None)
    return replace(folding, most_states=0).mean_theta()


REVEALING = KnownTopics(
    (4, 1, 1), ((0.6, 0.3, 0.1), (0.1, 0.2, 0.7), (0.2, 0.6, 0.2)), (1.5, 0.2, 0.6)
)
"""Mistakes of folding in show soon: the topics' priors differ by much."""

SLOW = KnownTopics((3, 1, 3), ((0.8, 0.1, 0.1), (0.1, 0.1, 0.8)), (0.9, 0.1))
"""Mistakes of reading show soon: one sweep over the topics read so far forgets little."""

CASES = {
    "two topics": KnownTopics((3, 1, 2), ((0.7, 0.2, 0.1), (0.1, 0.2, 0.7)), (0.3, 0.9)),
    "three topics": KnownTopics(
        (3, 1, 2), ((0.7, 0.2, 0.1), (0.1, 0.2, 0.7), (0.2, 0.6, 0.2)), (0.3, 0.2, 0.5)
    ),
    "topics without some words": KnownTopics(
        (2, 2, 1, 1),
        ((0.5, 0.5, 0.0, 0.0), (0.0, 0.3, 0.3, 0.4), (0.25, 0.25, 0.25, 0.25)),
        (0.1, 0.1, 0.1),
    ),
    "one token": KnownTopics((0, 1), ((0.9, 0.1), (0.2, 0.8)), (2.0, 1.0)),
    "large alpha": KnownTopics((1, 4), ((0.9, 0.1), (0.2, 0.8)), (20.0, 5.0)),
    "fold-in mistakes": REVEALING,
    "reading mistakes": SLOW,
}
