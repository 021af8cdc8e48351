"""A law that counts twice is a law that is there twice."""

from __future__ import annotations

import numpy as np

from blocklda.summaries.beta_mixtures import beta_mixture_interval


def test_weights_are_repetitions() -> None:
    rng = np.random.default_rng(0)
    alphas, betas = rng.gamma(1.0, 5.0, size=(2, 3, 4, 2))
    times = np.array([1, 3, 0])
    weights = np.broadcast_to((times / 4)[:, None, None], alphas.shape)
    weighted = beta_mixture_interval(alphas, betas, 0.8, weights)
    repeated = beta_mixture_interval(
        np.repeat(alphas, times, axis=0), np.repeat(betas, times, axis=0), 0.8
    )
    for one, other in zip(weighted, repeated, strict=True):
        assert one.shape == (4, 2)
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_ends_are_in_order_where_nearly_all_lies_at_zero() -> None:
    alphas = 10.0 ** np.linspace(-8, 0, 200)[None]
    low, high = beta_mixture_interval(alphas, np.full_like(alphas, 50.0), 0.5)
    assert (low <= high).all()
    assert (low >= 0).all()
