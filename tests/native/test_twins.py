"""Native kernels and their plain-Python twins end in the same state, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from blocklda.models.lda.samplers.sparse import plan
from blocklda.models.lda.state import SweepOptions
from tests.models.lda.samplers.subjects import SUBJECTS, find_subject
from tests.mutants.parts import replaced
from tests.native.invented import REPEATABLE, TOPICS, Setting, invented, run

BLOCKED = ("backward", "nested")


@pytest.mark.long
@settings(REPEATABLE, max_examples=100)
@given(setting=invented(large_work=100_000))
def test_twins_agree_on_invented_corpora(setting):
    """All samplers meet the same corpora: to invent them takes as long as to sweep them."""
    for sampler in SUBJECTS:
        assert run(setting, sampler, "native") == run(setting, sampler, "python"), sampler


@pytest.mark.long
@settings(REPEATABLE, max_examples=60)
@given(setting=invented(large_work=100_000))
def test_twins_agree_on_blocks_token_after_token(setting):
    """Few lists of invented corpora have as many tokens as that takes otherwise."""
    with replaced(plan, SEQUENTIAL_FROM=0):
        for sampler in ("sparse", "grid on lists", "approximate-parallel"):
            assert run(setting, sampler, "native") == run(setting, sampler, "python"), sampler


@pytest.mark.parametrize("sampler", BLOCKED)
@pytest.mark.parametrize("n_topics", TOPICS)
def test_twins_agree_for_every_shape_of_the_tree(n_topics, sampler):
    """Samplers without a tree meet all these numbers of topics on invented corpora."""
    matrix = np.array([[1, 2, 3, 0], [4, 5, 18, 1], [0, 0, 0, 0], [2, 0, 7, 1]])
    for convolution in ("direct", "fft"):
        options = SweepOptions(convolution=convolution)
        setting = Setting(matrix, n_topics, 0.1, 0.05, options, seed=n_topics)
        assert run(setting, sampler, "native") == run(setting, sampler, "python")


@pytest.mark.parametrize("sampler", BLOCKED)
@pytest.mark.parametrize("convolution", ["direct", "fft"])
@pytest.mark.parametrize("n_topics", [1, 2, 3, 9])
@pytest.mark.parametrize("beta", [0.01, 30.0])
def test_twins_agree_on_a_block_too_large_for_raw_leaves(beta, n_topics, convolution, sampler):
    """With a small β they overflow, with a large one they underflow; both end in tilted leaves."""
    setting = Setting(
        matrix=np.array([[250, 1, 0], [0, 20, 3]]),
        n_topics=n_topics,
        alpha=0.1,
        beta=beta,
        options=SweepOptions(convolution=convolution),
        seed=7,
    )
    assert run(setting, sampler, "native", 1) == run(setting, sampler, "python", 1)


@pytest.mark.parametrize("sampler", SUBJECTS)
def test_sweeps_at_once_equal_sweeps_one_by_one(sampler):
    setting = Setting(np.array([[3, 1, 0], [0, 9, 2]]), 5, 0.1, 0.01, SweepOptions(max_block=4), 3)
    for backend in ("native", "python"):
        together, apart = setting.start(), setting.start()
        sweep = find_subject(sampler).sweep(backend)
        steps = sweep(together, setting.options, 4)
        for apart.n_sweeps in range(4):  # as a chain counts them
            steps -= sweep(apart, setting.options, 1)
        assert steps == 0
        assert together.topics.tolist() == apart.topics.tolist()
        assert together.rng.bit_generator.state == apart.rng.bit_generator.state
