"""The probability of a document given φ and α, by particles that read it from left to right.

Wallach, Murray, Salakhutdinov & Mimno 2009, "Evaluation methods for topic models", Algorithm 3,
with resampling.
"""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.reference.draw import sum_in_lanes
from blocklda.models.lda.reference.fold_in import DocumentTopics
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["SMALL", "advance", "left_to_right", "resampled"]


SMALL = 2.0**-256
"""Products of many probabilities are kept as value · SMALL^n; powers of two leave bits alone."""


def left_to_right(
    words: Int32s,
    counts: Int32s,
    phi: Floats,
    alpha: Floats,
    n_particles: int,
    rng: np.random.Generator,
    products: Floats,
    n_small: Ints,
) -> None:
    """Write one estimate of the probability per batch: ``products`` · SMALL^``n_small``."""
    order = shuffled(np.repeat(words, counts), rng)
    alpha_sum = sum_in_lanes(alpha)
    for batch in range(len(products)):
        value, scale = 1.0, 0
        particles: list[list[int]] = [[] for _ in range(n_particles)]
        for n, word in enumerate(order):
            weights = []
            for topics in particles:
                document = resampled(topics, order, phi, alpha, rng)
                weights.append(advance(document, topics, word, phi, rng))
            total = 0.0
            for weight in weights:
                total += weight
            mean = total / n_particles
            value *= mean / (n + alpha_sum)
            if value < SMALL:
                value, scale = value / SMALL, scale + 1
            if n_particles > 1:
                particles = [list(particles[r]) for r in _chosen(weights, mean, rng.random())]
        products[batch], n_small[batch] = value, scale


def resampled(
    topics: list[int],
    order: Int32s,
    phi: Floats,
    alpha: Floats,
    rng: np.random.Generator,
) -> DocumentTopics:
    """Draw the topics of the tokens read so far again, each given the others."""
    document = DocumentTopics(alpha)
    for k in topics:
        document.add(k)
    for i, word in enumerate(order[: len(topics)]):
        uniform = rng.random()
        document.remove(topics[i])
        document.weigh(phi[word])
        topics[i] = document.draw(uniform)
        document.add(topics[i])
    return document


def advance(
    document: DocumentTopics,
    topics: list[int],
    word: int,
    phi: Floats,
    rng: np.random.Generator,
) -> float:
    """Draw a topic for the next token; return Σ_k (n_dk + α_k) φ_kv, what it weighed before."""
    uniform = rng.random()
    weight = document.weigh(phi[word])
    topics.append(document.draw(uniform))
    return weight


def shuffled(tokens: Int32s, rng: np.random.Generator) -> Int32s:
    """Put tokens in a uniformly random order (Fisher–Yates)."""
    for i in range(len(tokens) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        tokens[i], tokens[j] = tokens[j], tokens[i]
    return tokens


def _chosen(weights: list[float], mean: float, uniform: float) -> list[int]:
    """Return particles in proportion to their weights, at equally spaced points."""
    chosen, parent, end = [], 0, weights[0]
    for r in range(len(weights)):
        point = (r + uniform) * mean
        while end <= point and parent + 1 < len(weights):
            parent += 1
            end += weights[parent]
        chosen.append(parent)
    return chosen
