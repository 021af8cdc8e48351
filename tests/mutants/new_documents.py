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


def draw(weights: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Draw one category from each row of the last axis."""
    ends = weights.cumsum(axis=-1)
    return (ends <= (uniform * ends[..., -1])[..., None]).sum(axis=-1)


def fold_in(
    problem: KnownTopics,
    n_sweeps: int,
    burn_in: int,
    n_estimates: int,
    mistake: str | None = None,
) -> np.ndarray:
    """Return independent estimates of θ, shape (estimates, topics)."""
    rng = np.random.default_rng(0)
    phi, alpha = np.array(problem.phi), np.array(problem.alpha)
    words = np.repeat(np.arange(len(problem.counts)), problem.counts)
    rows = np.roll(phi, 1, axis=1) if mistake == "phi of the next word" else phi
    prior = alpha * (1e-9 if mistake == "alpha dropped" else 1.0)
    out = 0.0 if mistake == "token left in" else 1.0
    one = np.eye(len(alpha))
    z = rng.integers(len(alpha), size=(n_estimates, len(words)))
    n_k = one[z].sum(axis=1)
    shares = np.zeros_like(n_k)
    for sweep in range(n_sweeps):
        u = rng.random(n_estimates)
        before = np.zeros_like(n_k)
        for i, word in enumerate(words):
            u = u if mistake == "uniforms used twice" and i % 2 else rng.random(n_estimates)
            old = one[z[:, i]]
            n_k -= out * old
            weights = (n_k + prior) * rows[:, word]
            kept = _normalised(weights)
            if mistake == "shares with the token in":
                kept = _normalised((n_k + prior + old) * rows[:, word])
            if mistake == "shares of the token before, by word":
                kept, before = before * rows[:, word] * len(rows), kept
            z[:, i] = draw(weights, u)
            n_k += one[z[:, i]] - (1 - out) * old
            shares += kept if sweep >= burn_in else 0
    a = shares / (n_sweeps - burn_in) + (0.0 if mistake == "theta without alpha" else alpha)
    return _normalised(a)


def _normalised(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum(axis=-1, keepdims=True)


def read(
    problem: KnownTopics, n_particles: int, n_estimates: int, mistake: str | None = None
) -> np.ndarray:
    """Return independent estimates of p(w | φ, α), each from one batch of particles."""
    rng = np.random.default_rng(0)
    phi, alpha = np.array(problem.phi), np.array(problem.alpha)
    rows = np.roll(phi, 1, axis=1) if mistake == "phi of the next word" else phi
    prior = alpha * (1e-9 if mistake == "alpha dropped" else 1.0)
    out = 0.0 if mistake == "token left in" else 1.0
    one, shape = np.eye(len(alpha)), (n_estimates, n_particles)
    read_words = np.repeat(np.arange(len(problem.counts)), problem.counts)
    words = rng.permuted(np.tile(read_words, (n_estimates, 1)), axis=1)
    of_words = rows.T[words][:, None]  # (estimates, 1, tokens, topics)
    z = np.zeros((*shape, len(read_words)), dtype=int)
    product = np.ones(n_estimates)
    for n in range(len(read_words)):
        n_k = one[z[:, :, :n]].sum(axis=2)
        for i in range(n):
            old = one[z[:, :, i]]
            n_k -= out * old
            z[:, :, i] = draw((n_k + prior) * of_words[:, :, i], rng.random(shape))
            n_k += one[z[:, :, i]] - (1 - out) * old
        ahead = 1 if mistake == "tokens counted from 1" else 0
        z[:, :, n] = draw((n_k + alpha) * of_words[:, :, n], rng.random(shape))
        if mistake == "weight after the draw":
            n_k += one[z[:, :, n]]
        together = n_k.sum(axis=-1) + ahead + alpha.sum()
        weights = ((n_k + alpha) * of_words[:, :, n]).sum(axis=-1) / together
        product *= weights.mean(axis=1)
        if mistake != "no resampling":
            chosen = draw(weights[:, None], rng.random(shape))
            z = np.take_along_axis(z, chosen[:, :, None], axis=1)
    return product
