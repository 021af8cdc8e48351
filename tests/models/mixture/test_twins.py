"""The kernel and its twin agree to the bit, through births, deaths and documents of any length."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import blocklda
from blocklda import _native
from tests.native.invented import REPEATABLE

SHAPES = st.tuples(st.integers(1, 24), st.integers(1, 7))


@st.composite
def settings_of_chains(draw):
    """Invent documents, of which some are equal, priors and options."""
    n_docs, n_words = draw(SHAPES)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = rng.poisson(draw(st.sampled_from([0.2, 0.7, 3.0, 40.0])), size=(n_docs, n_words))
    X = X[rng.integers(draw(st.integers(1, n_docs)), size=n_docs)]
    return X, {
        "alpha": draw(st.sampled_from([1e-25, 0.01, 1.0, 30.0, 1e12])),
        "beta": draw(st.sampled_from([1e-28, 0.01, 0.5, 20.0, 1e14])),
        "n_components": draw(st.sampled_from([None, None, 1, 2, 8, 9, 40])),
        "max_block": draw(st.sampled_from([1, 2, 5, 16])),
        "learn": draw(st.booleans()),
        "init": draw(st.sampled_from(["sequential", "one"])),
        "seed": draw(st.integers(0, 99)),
    }


def left_by(chain: blocklda.DPMixtureChain) -> tuple[object, ...]:
    """Return all that a sweep leaves behind."""
    return (
        chain.labels().tolist(),
        chain.component_ids().tolist(),
        chain.state.n_born,
        chain.alpha,
        chain.n_simulation_steps,
        chain.state.rng.bit_generator.state,
    )


@REPEATABLE
@given(settings_of_chains())
def test_twins_agree_to_the_bit(invented):
    X, settings = invented
    chains = [blocklda.DPMixtureChain(X, backend=b, **settings) for b in ("native", "python")]
    for chain in chains:
        chain.sweep(2)
    assert left_by(chains[0]) == left_by(chains[1])


@pytest.mark.parametrize("n_components", [None, 3])
def test_documents_of_ten_thousand_tokens(n_components):
    """Their likelihoods are far below the smallest double; equal ones move as a block."""
    rng = np.random.default_rng(5)
    X = rng.poisson(20, size=(6, 500))
    X[3] = X[4] = X[0]
    X[5] = 0
    X[5, 0] = 10_000
    chains = [
        blocklda.DPMixtureChain(X, beta=0.01, n_components=n_components, backend=backend)
        for backend in ("native", "python")
    ]
    for chain in chains:
        chain.sweep(2)
    assert left_by(chains[0]) == left_by(chains[1])
    assert np.isfinite(chains[0].log_posterior())
    labels = chains[0].labels()
    assert labels[5] not in labels[:5]
    assert labels[0] == labels[3] == labels[4]


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_instruction_sets_agree(isa, restored_instruction_set):
    X = np.random.default_rng(6).poisson(0.4, size=(60, 30))
    reference = blocklda.DPMixtureChain(X, backend="python", seed=1)
    _native.use_instruction_set(isa)
    chain = blocklda.DPMixtureChain(X, seed=1)
    for one in (reference, chain):
        one.sweep(2)
    assert left_by(chain) == left_by(reference)


@pytest.fixture
def restored_instruction_set():
    before = _native.active_instruction_set()
    yield
    _native.use_instruction_set(before)
