"""The annealed kernel: its twin to the bit, and its powers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda import _native
from blocklda.models.lda.reference import annealed as twin
from blocklda.models.lda.samplers.kernel_call import run_collapsed
from blocklda.models.lda.state import SweepOptions
from tests.native.invented import REPEATABLE, Outcome, Setting, invented


def run_native(setting: Setting, sixteenths: int) -> Outcome:
    state = setting.start()
    n_steps = run_collapsed(_native.annealed, state, 2, sixteenths=sixteenths)
    return Outcome(state.topics.tolist(), state.rng.bit_generator.state, n_steps)


def run_twin(setting: Setting, sixteenths: int) -> Outcome:
    state = setting.start()
    n_steps = twin.sweep(state, sixteenths, 2)
    return Outcome(state.topics.tolist(), state.rng.bit_generator.state, n_steps)


@settings(REPEATABLE, max_examples=200)
@given(setting=invented(large_work=10_000), sixteenths=st.integers(1, 16))
def test_twins_agree_on_invented_corpora(setting, sixteenths):
    assert run_native(setting, sixteenths) == run_twin(setting, sixteenths)


@pytest.mark.parametrize("isa", _native.instruction_sets())
@pytest.mark.parametrize("beta", [0.01, 1e-60, 1e40])
def test_twins_agree_on_every_instruction_set_and_with_any_priors(beta, isa):
    matrix = np.array([[3, 1, 0, 7], [0, 9, 2, 0], [1, 1, 1, 1]])
    active = _native.active_instruction_set()
    _native.use_instruction_set(isa)
    try:
        for n_topics in (1, 3, 8, 19):
            setting = Setting(matrix, n_topics, 0.1, beta, SweepOptions(), seed=5)
            assert run_native(setting, 11) == run_twin(setting, 11)
    finally:
        _native.use_instruction_set(active)


@pytest.mark.parametrize("sixteenths", range(1, 17))
def test_a_product_of_square_roots_is_the_power(sixteenths):
    x = np.array([1e-12, 0.01, 0.5, 1.0, 1.01, 7.0, 12345.67, 1e9])
    np.testing.assert_allclose(twin.power(x, sixteenths), x ** (sixteenths / 16), rtol=1e-14)
