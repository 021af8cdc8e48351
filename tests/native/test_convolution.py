"""Leaves and convolutions against sums in higher precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.models.lda.reference.blocks import Block
from blocklda.models.lda.reference.convolve import convolve
from blocklda.models.lda.reference.leaves import raw_leaves, tilted_leaves
from blocklda.models.lda.samplers.convolution import fft_convolve
from tests.native.invented import REPEATABLE
from tests.native.large_block import Conditional


@st.composite
def blocks(draw: st.DrawFn, largest: int, counts: int = 100_000) -> Block:
    """Invent a block: topics that are empty, full, or in between."""
    size, n_topics = draw(st.integers(2, largest)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    n_vk = rng.integers(0, draw(st.integers(1, counts)), n_topics) * rng.integers(0, 2, n_topics)
    n_dk = rng.integers(0, draw(st.integers(1, counts)), n_topics) * rng.integers(0, 2, n_topics)
    elsewhere = rng.integers(0, counts, n_topics)
    beta = draw(st.sampled_from((0.001, 0.01, 0.5, 3.0)))
    alpha = draw(st.sampled_from((0.001, 0.1, 5.0)))
    return Block(
        a=n_dk + alpha, b=n_vk + beta, c=np.maximum(n_vk, n_dk) + elsewhere + 10 * beta, size=size
    )


def long_convolve(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the first coefficients of a product, summed in extended precision."""
    left, right = left.astype(np.longdouble), right.astype(np.longdouble)
    return np.array([left[: c + 1] @ right[c::-1] for c in range(len(left))])


@settings(REPEATABLE, max_examples=60)
@given(block=blocks(largest=300))
def test_fft_of_tilted_leaves_is_exact_to_the_last_digits(block):
    leaves = np.ascontiguousarray(tilted_leaves(block).T)
    product = np.empty((len(leaves) - 1, block.size + 1))
    fft_convolve(leaves[:-1].copy(), leaves[1:].copy(), product)
    for row, left, right in zip(product, leaves[:-1], leaves[1:], strict=True):
        np.testing.assert_allclose(row, long_convolve(left, right), rtol=0, atol=1e-14)
    assert (product >= 0).all()


@settings(REPEATABLE, max_examples=60)
@given(block=blocks(largest=60))
def test_direct_convolution_is_exact_relative_to_each_coefficient(block):
    leaves = tilted_leaves(block)
    product = convolve(leaves[:, :-1], leaves[:, 1:], by_fft=False)
    for k in range(leaves.shape[1] - 1):
        expected = long_convolve(leaves[:, k], leaves[:, k + 1])
        np.testing.assert_allclose(product[:, k], expected.astype(float), rtol=1e-13)


def log_leaves(block: Block) -> np.ndarray:
    """Return log q_k(n) by log Γ, shape (C + 1, K)."""
    return Conditional(block.a, block.b, block.c, block.size).log_leaves().T


@settings(REPEATABLE, max_examples=60)
@given(block=blocks(largest=20, counts=1_000))
def test_raw_leaves_are_the_terms_of_the_conditional(block):
    # log Γ of numbers up to 1e5 is good to 1e-10, and so are differences of it.
    np.testing.assert_allclose(np.log(raw_leaves(block)), log_leaves(block), atol=1e-8)


@settings(REPEATABLE, max_examples=40)
@given(block=blocks(largest=1_000))
def test_tilted_leaves_are_raw_leaves_times_powers_of_one_number(block):
    """log p_k(n) = log q_k(n) − n log s − log Z_k with one s for all topics, and Σ_n p_k(n) = 1."""
    leaves = tilted_leaves(block)
    np.testing.assert_allclose(leaves.sum(axis=0), 1.0, rtol=1e-12)
    kept = leaves > 1e-290  # smaller ones have lost digits
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.diff(np.log(leaves) - log_leaves(block), axis=0)
    minus_log_s = steps[kept[1:] & kept[:-1]]
    np.testing.assert_allclose(minus_log_s, np.median(minus_log_s), atol=1e-7)


@settings(REPEATABLE, max_examples=40)
@given(block=blocks(largest=1_000))
def test_tilted_leaves_make_the_size_of_the_block_a_typical_total(block):
    """Within one standard deviation of the mean, so the coefficient that is wanted is not small."""
    leaves = tilted_leaves(block)
    n = np.arange(block.size + 1)
    means = n @ leaves
    variances = n**2 @ leaves - means**2
    assert abs(means.sum() - block.size) <= 1.001 * np.sqrt(variances.sum()) + 1e-6


def test_fft_of_raw_leaves_would_be_noise():
    """Why they are tilted first: errors are relative to the largest coefficient."""
    block = Block(a=np.array([5.0, 7.0]), b=np.array([2.0, 3.0]), c=np.array([52.0, 53.0]), size=60)
    leaves = np.ascontiguousarray(raw_leaves(block).T)
    product = np.empty((1, 61))
    fft_convolve(leaves[:1].copy(), leaves[1:].copy(), product)
    wanted = float(long_convolve(leaves[0], leaves[1])[-1])
    assert abs(product[0, -1] / wanted - 1) > 1
    assert wanted == pytest.approx(np.convolve(leaves[0], leaves[1])[60])
