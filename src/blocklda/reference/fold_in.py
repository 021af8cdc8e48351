"""The topics of a new document when φ is known: p(z = k | rest) ∝ (n_dk + α_k) φ_kv.

The sum of α_k φ_kv depends on the word alone; n_dk φ_kv is summed over the few topics that the
document's tokens are in. One uniform is held against the listed topics first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blocklda.reference.draw import check_total, lane_ends, lanes_of, sum_in_lanes, topic_at

__all__ = ["DocumentTopics", "fold_in"]

FloatArray = NDArray[np.float64]


class DocumentTopics:
    """The topics that a document's tokens are in, in order of arrival, and draws from them."""

    def __init__(self, alpha: FloatArray) -> None:
        self.alpha = alpha
        self.topics: list[int] = []
        self.n_dk: list[float] = []

    def add(self, k: int) -> None:
        """Put a token into topic k."""
        if k not in self.topics:
            self.topics.append(k)
            self.n_dk.append(0.0)
        self.n_dk[self.topics.index(k)] += 1.0

    def remove(self, k: int) -> None:
        """Take a token out; its topic stays in the list, without weight, until `drop_empty`."""
        self.n_dk[self.topics.index(k)] -= 1.0

    def drop_empty(self) -> None:
        """Drop topics that have lost all their tokens; the others keep their order."""
        kept = [(k, n) for k, n in zip(self.topics, self.n_dk, strict=True) if n > 0]
        self.topics = [k for k, _ in kept]
        self.n_dk = [n for _, n in kept]

    def weigh(self, phi_v: FloatArray, prior_weight: float) -> float:
        """Weigh a token of a word: Σ_k (n_dk + α_k) φ_kv, given Σ_k α_k φ_kv."""
        self.listed = np.array(self.n_dk) * phi_v[self.topics]
        self.prior = self.alpha * phi_v
        self.listed_total = _total(self.listed)
        self.total = check_total(self.listed_total + prior_weight)
        return self.total

    def draw(self, uniform: float) -> int:
        """Draw the topic of the token weighed last."""
        point = uniform * self.total
        if point < self.listed_total:
            return self.topics[topic_at(self.listed, point)]
        return topic_at(self.prior, point - self.listed_total)


def fold_in(
    words: NDArray[np.int32],
    counts: NDArray[np.int32],
    phi: FloatArray,
    prior_weights: FloatArray,
    alpha: FloatArray,
    n_topics: int,
    n_sweeps: int,
    burn_in: int,
    rng: np.random.Generator,
    topics: NDArray[np.int32],
    has_topics: bool,
    theta: FloatArray,
) -> None:
    """Write the mean over sweeps of θ of one document into ``theta``.

    The chain goes on from ``topics``, or begins by drawing every token given those before it, and
    leaves its last state there.

    θ_k is the mean over the sweeps after the burn-in of Σ_i p(z_i = k | rest) + α_k, divided by the
    same over all k. The mean of the probabilities, not of the topics drawn with them, has the same
    expectation and less noise (Rao and Blackwell).
    """
    entries = np.repeat(np.arange(len(words)), counts)
    document = DocumentTopics(alpha)
    for i, e in enumerate(entries):
        if not has_topics:
            document.weigh(phi[words[e]], float(prior_weights[words[e]]))
            topics[i] = document.draw(rng.random())
        document.add(int(topics[i]))
    sums, inverses = np.zeros(len(alpha)), np.zeros(len(words))
    for sweep in range(n_sweeps):
        document.drop_empty()
        listed_sums = np.zeros(len(alpha))
        for i, e in enumerate(entries):
            document.remove(int(topics[i]))
            share = 1.0 / document.weigh(phi[words[e]], float(prior_weights[words[e]]))
            if sweep >= burn_in:
                inverses[e] += share
                listed_sums[document.topics] += document.listed * share
            topics[i] = document.draw(rng.random())
            document.add(int(topics[i]))
        sums += listed_sums
    prior = np.zeros(len(alpha))
    for word, inverse in zip(words, inverses, strict=True):
        prior += phi[word] * inverse
    a = (sums + alpha * prior) / (n_sweeps - burn_in) + alpha
    theta[:] = (a / sum_in_lanes(a))[:n_topics]


def _total(weights: FloatArray) -> float:
    """Return the sum of weights in the order in which `topic_at` adds them."""
    return float(lane_ends(lanes_of(weights)[-1])[-1]) if len(weights) else 0.0
