"""Stopping and going on equals never stopping, to the bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import blocklda

COUNTS = np.random.default_rng(11).poisson(1.2, size=(8, 10))
COUNTS[2] = 0
COUNTS[5, 3] = 30


def new_chain(sampler: str, **settings: object) -> blocklda.Chain:
    return blocklda.Chain(COUNTS, 5, alpha=0.2, beta=0.1, sampler=sampler, seed=7, **settings)


def same(one: blocklda.Chain, other: blocklda.Chain) -> bool:
    return (
        np.array_equal(one.assignments(), other.assignments())
        and one.n_sweeps == other.n_sweeps
        and one.n_simulation_steps == other.n_simulation_steps
        and one.state.rng.bit_generator.state == other.state.rng.bit_generator.state
    )


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_a_saved_chain_goes_on_as_if_never_stopped(sampler, backend, tmp_path):
    whole = new_chain(sampler, backend=backend)
    whole.sweep(10)
    first = new_chain(sampler, backend=backend)
    first.sweep(5)
    first.save(tmp_path / "chain")
    second = blocklda.Chain.load(tmp_path / "chain", COUNTS)
    assert (second.sampler, second.backend) == (sampler, backend)
    second.sweep(5)
    assert same(second, whole)


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_ten_sweeps_are_ten_times_one(sampler):
    at_once, one_by_one = new_chain(sampler), new_chain(sampler)
    at_once.sweep(10)
    for _ in range(10):
        one_by_one.sweep()
    assert same(at_once, one_by_one)


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_options_are_kept(sampler, tmp_path):
    settings = {"max_block": 2, "convolution": "fft", "alpha": [0.1, 0.2, 0.3, 0.4, 0.5]}
    whole = blocklda.Chain(COUNTS, 5, sampler=sampler, seed=1, **settings)
    part = blocklda.Chain(COUNTS, 5, sampler=sampler, seed=1, **settings)
    whole.sweep(4)
    part.sweep(2)
    part.save(tmp_path / "chain.npz")
    resumed = blocklda.Chain.load(tmp_path / "chain.npz", COUNTS)
    resumed.sweep(2)
    assert same(resumed, whole)


SWITCHES = [
    *zip(blocklda.SAMPLERS, (*blocklda.SAMPLERS[1:], blocklda.SAMPLERS[0]), strict=True),
    # Those that keep tables of the same kind.
    *itertools.permutations(("sparse", "sparse-single-site", "grid"), 2),
]
"""Each sampler once as the first and once as the second; a file says nothing of what was before
the first, so other pairs would read the same kind of file again."""


@pytest.mark.parametrize(("first", "second"), dict.fromkeys(SWITCHES))
def test_another_sampler_may_go_on(first, second, tmp_path):
    chain = new_chain(first)
    chain.sweep(2)
    chain.save(tmp_path / "chain")
    native = blocklda.Chain.load(tmp_path / "chain", COUNTS, sampler=second)
    twin = blocklda.Chain.load(tmp_path / "chain", COUNTS, sampler=second, backend="python")
    for other in (native, twin):
        other.sweep(2)
        assert other.sampler == second
        assert other.n_sweeps == 4
    assert same(native, twin)


def test_assignments_start_another_chain_where_this_one_stands():
    chain = new_chain("nested")
    chain.sweep(3)
    other = blocklda.Chain(COUNTS, 5, alpha=0.2, beta=0.1, init=chain.assignments())
    assert other.log_posterior() == chain.log_posterior()
    assert (other.block_counts() != chain.block_counts()).nnz == 0


def test_a_word_prior_per_topic_is_kept(tmp_path):
    beta = np.random.default_rng(0).uniform(0.1, 1.0, size=(5, 10))
    chain = blocklda.Chain(COUNTS, 5, beta=beta, seed=3)
    chain.sweep(2)
    chain.save(tmp_path / "chain")
    loaded = blocklda.Chain.load(tmp_path / "chain", COUNTS)
    assert loaded.log_posterior() == chain.log_posterior()
