"""Blocks that would take hours or more memory than there is are refused, with what to do."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import CapacityError
from blocklda.models.lda.samplers.block_limits import MAX_BLOCK_WORK
from blocklda.support import memory

LARGE = np.array([[100_000, 1], [1, 2]])


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("sampler", ["backward", "nested"])
@pytest.mark.parametrize("convolution", ["auto", "direct", "fft"])
def test_a_block_that_would_take_hours_is_refused(sampler, convolution, backend):
    chain = blocklda.Chain(LARGE, 20_000, sampler=sampler, convolution=convolution, backend=backend)
    before = chain.assignments()
    with pytest.raises(CapacityError) as caught:
        chain.sweep()
    assert str(caught.value) == (
        "a block of 100,000 tokens of one word in one document and 20,000 topics may take 2.0e+14 "
        "multiplications, but at most 1e+12 are allowed, since a block cannot be interrupted; give "
        "Chain max_block=1000, or use sampler='sparse': both draw large blocks in random parts, "
        "which is exact too."
    )
    np.testing.assert_array_equal(chain.assignments(), before)


@pytest.mark.parametrize(
    "remedy",
    [{"sampler": "nested", "max_block": 10}, {"sampler": "sparse"}, {"sampler": "backward"}],
    ids=str,
)
def test_the_remedies_help(remedy):
    counts = LARGE if remedy["sampler"] != "backward" else LARGE // 50
    n_topics = 300 if remedy["sampler"] != "backward" else 30
    chain = blocklda.Chain(counts, n_topics, seed=1, **remedy)
    chain.sweep()
    assert chain.block_counts().sum(axis=1).A1.tolist() == chain.corpus.counts.tolist()
    assert n_topics * min(counts.max(), remedy.get("max_block", 8000)) ** 2 < MAX_BLOCK_WORK


@pytest.mark.parametrize("sampler", ["backward", "nested"])
def test_tables_of_a_block_that_do_not_fit_are_refused(sampler, monkeypatch):
    counts = np.array([[20_000, 1], [1, 2]])
    chain = blocklda.Chain(counts, 200, sampler=sampler, convolution="fft")
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**7)
    said = r"a block of 20,000 tokens .* 200 topics, beside .* needs .* give Chain max_block=1000"
    with pytest.raises(CapacityError, match=said):
        chain.sweep()


@pytest.mark.parametrize("sampler", ["backward", "nested"])
def test_what_is_asked_for_is_what_a_block_takes(sampler, monkeypatch):
    """The tables hold C + 1 numbers for every topic, or for every node of a tree."""
    asked = []
    monkeypatch.setattr(
        "blocklda.models.lda.samplers.block_limits.require_memory",
        lambda n_bytes, *_: asked.append(n_bytes),
    )
    blocklda.Chain(np.array([[99, 1], [1, 2]]), 64, sampler=sampler).sweep()
    rows = {"backward": 64 + 64, "nested": 2 * 8 + 3 * 8}[sampler]
    assert asked == [8 * rows * 100]
