"""Simulation steps, as the paper counts and bounds them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blocklda
from tests.native.invented import REPEATABLE


def steps_of_one_block(
    sampler: str, size: int, n_topics: int, seed: int, **settings: object
) -> int:
    chain = blocklda.Chain(np.array([[size, 0]]), n_topics, sampler=sampler, seed=seed, **settings)
    chain.sweep()
    return chain.n_simulation_steps


@settings(REPEATABLE, max_examples=200)
@given(
    size=st.integers(1, 60),
    n_topics=st.integers(1, 1100),
    seed=st.integers(0, 2**32),
    convolution=st.sampled_from(("direct", "fft")),
)
def test_a_block_takes_no_more_steps_than_the_paper_says(size, n_topics, seed, convolution):
    backward = steps_of_one_block("backward", size, n_topics, seed, convolution=convolution)
    nested = steps_of_one_block("nested", size, n_topics, seed, convolution=convolution)
    assert 0 <= backward <= n_topics - 1
    assert 0 <= nested <= size * math.ceil(math.log2(n_topics))


@pytest.mark.parametrize("size", [1, 7])
def test_backward_stops_when_no_token_is_left(size):
    """The last topic, where it starts, takes nearly everything: hardly any topic is visited."""
    n_topics = 40
    alpha = np.full(n_topics, 1e-4)
    alpha[-1] = 50.0
    chain = blocklda.Chain(np.array([[size, 1]]), n_topics, alpha=alpha, sampler="backward", seed=1)
    chain.sweep(200)
    steps_per_block = chain.n_simulation_steps / 400
    assert 1 <= steps_per_block < 2


def test_nested_skips_empty_nodes():
    """All tokens in one topic: one path down the tree, not a visit of every node."""
    n_topics = 64
    alpha = np.full(n_topics, 1e-6)
    alpha[17] = 50.0
    chain = blocklda.Chain(np.array([[9, 0]]), n_topics, alpha=alpha, sampler="nested", seed=1)
    chain.sweep(100)
    assert chain.n_simulation_steps / 100 < 6.5


@pytest.mark.parametrize("sampler", ["single-site", "augmented"])
def test_samplers_that_go_token_by_token_take_one_step_each(sampler):
    chain = blocklda.Chain(np.array([[3, 1], [0, 2]]), 5, sampler=sampler)
    chain.sweep(3)
    assert chain.n_simulation_steps == 3 * 6
