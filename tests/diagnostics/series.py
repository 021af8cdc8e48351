"""Chains of numbers whose law is known: stationary ones, and ones that go wrong in known ways."""

from __future__ import annotations

import numpy as np


def stationary(
    rng: np.random.Generator, n_chains: int, n_draws: int, correlation: float = 0.0
) -> np.ndarray:
    """Return chains of standard normals, each correlated with the one before; (chains, draws)."""
    noise = rng.standard_normal((n_chains, n_draws))
    chains = np.empty_like(noise)
    chains[:, 0] = noise[:, 0]
    for t in range(1, n_draws):
        chains[:, t] = correlation * chains[:, t - 1] + np.sqrt(1 - correlation**2) * noise[:, t]
    return chains
