"""The topics of a new document when φ is known: p(z = k | rest) ∝ (n_dk + α_k) φ_kv.

The sum of α_k φ_kv depends on the word alone; n_dk φ_kv is summed over the few topics that the
document's tokens are in. One uniform is held against the listed topics first.
"""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.reference.draw import (
    check_total,
    draw_topic,
    lane_ends,
    lanes_of,
    sum_in_lanes,
    topic_at,
)
from blocklda.models.lda.reference.short_document import count_states, mean_theta
from blocklda.support.arrays import Floats, Int32s

__all__ = ["CHAINS", "DocumentTopics", "fold_in", "total_of"]


CHAINS = 2
"""Independent chains that share the sweeps; the kernel works on one while the other waits."""

START_PASSES = 8
"""Passes of expectation maximisation before the first draw."""


class DocumentTopics:
    """The topics that a document's tokens are in, in order of arrival, and draws from them."""

    def __init__(self, alpha: Floats) -> None:
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

    def weigh(self, phi_v: Floats) -> float:
        """Weigh a token of a word: Σ_k (n_dk + α_k) φ_kv."""
        self.listed = np.array(self.n_dk) * phi_v[self.topics]
        self.prior = self.alpha * phi_v
        self.listed_total = total_of(self.listed)
        self.total = check_total(self.listed_total + total_of(self.prior))
        return self.total

    def draw(self, uniform: float) -> int:
        """Draw the topic of the token weighed last."""
        point = uniform * self.total
        if point < self.listed_total:
            return self.topics[topic_at(self.listed, point)]
        return topic_at(self.prior, point - self.listed_total)


def fold_in(
    words: Int32s,
    counts: Int32s,
    phi: Floats,
    alpha: Floats,
    n_topics: int,
    n_sweeps: int,
    burn_in: int,
    most_states: int,
    rng: np.random.Generator,
    theta: Floats,
) -> None:
    """Write the posterior mean of θ of one document into ``theta``, a row for each φ.

    It is exact if the document has at most ``most_states`` vectors of counts, and else estimated.
    """
    if count_states(counts) <= most_states:
        means = [mean_theta(phi_r[words], counts, alpha) for phi_r in phi]
        if all(mean is not None for mean in means):
            theta[:] = [mean[:n_topics] for mean in means if mean is not None]
            return
    sample_theta(words, counts, phi, alpha, n_topics, n_sweeps, burn_in, rng, theta)


def sample_theta(
    words: Int32s,
    counts: Int32s,
    phi: Floats,
    alpha: Floats,
    n_topics: int,
    n_sweeps: int,
    burn_in: int,
    rng: np.random.Generator,
    theta: Floats,
) -> None:
    """Write the mean over sweeps of θ of one document into ``theta``, a row for each φ.

    θ_k is the mean over the sweeps after the burn-in of Σ_i p(z_i = k | rest) + α_k, divided by the
    same over all k. The mean of the probabilities, not of the topics drawn with them, has the same
    expectation and less noise (Rao and Blackwell). CHAINS chains move on together. They begin with
    draws from what expectation maximisation finds, and with a new φ continue from where they are.
    """
    entries = np.repeat(np.arange(len(words)), counts)
    chains = [DocumentTopics(alpha) for _ in range(CHAINS)]
    topics: list[list[int]] = [[] for _ in chains]
    a = start_weights(phi[0][words], counts, alpha)
    for e in entries:
        weights = a * phi[0][words[e]]
        for c, chain in enumerate(chains):
            topics[c].append(draw_topic(weights, rng.random()))
            chain.add(topics[c][-1])

    for r, phi_r in enumerate(phi):
        sums, inverses = np.zeros(len(alpha)), np.zeros(len(words))
        for sweep in range(n_sweeps):
            listed_sums = np.zeros((CHAINS, len(alpha)))
            for chain in chains:
                chain.drop_empty()
            for i, e in enumerate(entries):
                uniforms = [rng.random() for _ in chains]
                for c, chain in enumerate(chains):
                    chain.remove(topics[c][i])
                    share = 1.0 / chain.weigh(phi_r[words[e]])
                    if sweep >= burn_in:
                        inverses[e] += share
                        listed_sums[c, chain.topics] += chain.listed * share
                    topics[c][i] = chain.draw(uniforms[c])
                    chain.add(topics[c][i])
            for of_chain in listed_sums:
                sums += of_chain
        prior = np.zeros(len(alpha))
        for word, inverse in zip(words, inverses, strict=True):
            prior += phi_r[word] * inverse
        a = (sums + alpha * prior) / (CHAINS * (n_sweeps - burn_in)) + alpha
        theta[r] = (a / sum_in_lanes(a))[:n_topics]


def start_weights(phi_rows: Floats, counts: Int32s, alpha: Floats) -> Floats:
    """Return what expectation maximisation finds for n_dk + α_k, where the chains begin.

    a_k = α_k + Σ_v C_v a_k φ_kv / Σ_j a_j φ_jv, from equal a. What the chains tend to does not
    depend on it.
    """
    a = np.ones(len(alpha))
    for _ in range(START_PASSES):
        sums = np.zeros(len(alpha))
        for phi_v, count in zip(phi_rows, counts, strict=True):
            sums += phi_v * (count / check_total(sum_in_lanes(a * phi_v)))
        a = alpha + a * sums
    return a


def total_of(weights: Floats) -> float:
    """Return the sum of weights in the order in which `topic_at` adds them."""
    return float(lane_ends(lanes_of(weights)[-1])[-1]) if len(weights) else 0.0
