"""Every build of the kernels draws the same, whatever the width of its vectors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from blocklda import _native
from tests.models.lda.samplers.subjects import SUBJECTS
from tests.native.invented import REPEATABLE, invented, run


@pytest.fixture(autouse=True)
def _restored_instruction_set() -> Iterator[None]:
    active = _native.active_instruction_set()
    yield
    _native.use_instruction_set(active)


@settings(REPEATABLE, max_examples=150)
@given(setting=invented(large_work=1_000_000))
def test_instruction_sets_agree(setting):
    """All samplers meet the same corpora: to invent them takes longer than to sweep them."""
    outcomes = []
    for name in _native.instruction_sets():
        _native.use_instruction_set(name)
        outcomes.append({sampler: run(setting, sampler, "native") for sampler in SUBJECTS})
    for outcome in outcomes[1:]:
        assert outcome == outcomes[0]


def test_the_baseline_is_there_and_the_last_one_is_used():
    assert _native.instruction_sets()[0] == "baseline"
    assert _native.active_instruction_set() == _native.instruction_sets()[-1]


def test_an_unknown_instruction_set_is_refused():
    with pytest.raises(ValueError, match="instruction set"):
        _native.use_instruction_set("mmx")
