"""Folding in and reading from left to right, written out from their definitions, with mistakes.

Without a mistake both are right, and the tests must accept them.
"""

from __future__ import annotations

import numpy as np

from tests.models.lda.new_documents.problems import KnownTopics

FOLD_IN_MISTAKES = (
    "token left in",
    "alpha dropped",
    "phi of the next word",
    "shares of the token before, by word",
    "shares with the token in",
    "theta without alpha",
    "uniforms used twice",
)

READING_MISTAKES = (
    "no resampling",
    "token left in",
    "alpha dropped",
    "phi of the next word",
    "tokens counted from 1",
    "weight after the draw",
)


def draw(weights: np.ndarray, uniform: float) -> int:
    return int(np.searchsorted(np.cumsum(weights), uniform * weights.sum(), side="right"))


def fold_in(
    problem: KnownTopics, n_sweeps: int, burn_in: int, seed: int, mistake: str | None = None
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    phi, alpha = np.array(problem.phi), np.array(problem.alpha)
    words = np.repeat(np.arange(len(problem.counts)), problem.counts)
    rows = np.roll(phi, 1, axis=1) if mistake == "phi of the next word" else phi
    prior = alpha * (1e-9 if mistake == "alpha dropped" else 1.0)
    z = rng.integers(len(alpha), size=len(words))
    n_k = np.bincount(z, minlength=len(alpha)).astype(float)
    shares = np.zeros(len(alpha))
    for sweep in range(n_sweeps):
        u = rng.random()
        before = np.zeros(len(alpha))
        for i, word in enumerate(words):
            u = u if mistake == "uniforms used twice" and i % 2 else rng.random()
            out = 0.0 if mistake == "token left in" else 1.0
            n_k[z[i]] -= out
            weights = (n_k + prior) * rows[:, word]
            kept = weights / weights.sum()
            if mistake == "shares with the token in":
                kept = (n_k + prior + np.eye(len(alpha))[z[i]]) * rows[:, word]
                kept = kept / kept.sum()
            if mistake == "shares of the token before, by word":
                kept, before = before * rows[:, word] * len(rows), kept
            n_k[z[i]] -= 1 - out
            z[i] = draw(weights, u)
            n_k[z[i]] += 1
            shares += kept if sweep >= burn_in else 0
    a = shares / (n_sweeps - burn_in) + (0.0 if mistake == "theta without alpha" else alpha)
    return a / a.sum()


def read(problem: KnownTopics, n_particles: int, seed: int, mistake: str | None = None) -> float:
    """Return an estimate of p(w | φ, α) from one batch of particles."""
    rng = np.random.default_rng(seed)
    phi, alpha = np.array(problem.phi), np.array(problem.alpha)
    rows = np.roll(phi, 1, axis=1) if mistake == "phi of the next word" else phi
    prior = alpha * (1e-9 if mistake == "alpha dropped" else 1.0)
    words = rng.permutation(np.repeat(np.arange(len(problem.counts)), problem.counts))
    z = np.zeros((n_particles, len(words)), dtype=int)
    product = 1.0
    for n, word in enumerate(words):
        weights = np.zeros(n_particles)
        for topics, r in zip(z, range(n_particles), strict=True):
            n_k = np.bincount(topics[:n], minlength=len(alpha)).astype(float)
            for i in range(n):
                out = 0.0 if mistake == "token left in" else 1.0
                n_k[topics[i]] -= out
                k = draw((n_k + prior) * rows[:, words[i]], rng.random())
                n_k[topics[i]] -= 1 - out
                topics[i] = k
                n_k[k] += 1
            ahead = 1 if mistake == "tokens counted from 1" else 0
            topics[n] = draw((n_k + alpha) * rows[:, word], rng.random())
            if mistake == "weight after the draw":
                n_k[topics[n]] += 1
            weights[r] = ((n_k + alpha) @ rows[:, word]) / (n_k.sum() + ahead + alpha.sum())
        product *= weights.mean()
        if mistake != "no resampling":
            z = z[rng.choice(n_particles, size=n_particles, p=weights / weights.sum())]
    return product
