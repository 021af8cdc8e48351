"""An option that a sampler has no use for changes nothing; so its law is tested without it."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.samplers.base import BACKENDS
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS
from tests.models.lda.samplers.options import USED_BY, uses
from tests.models.lda.samplers.subjects import OTHER_FORMS, find_subject

COUNTS = np.random.default_rng(1).poisson(0.7, size=(7, 9))
COUNTS[2, 5], COUNTS[6, 0] = 30, 12

OPTIONS: dict[str, tuple[object, ...]] = {
    "max_block": (1, 2, 7),
    "convolution": ("direct", "fft"),
    "n_threads": (3,),
    "shards": ((3, 4),),
}

pytestmark = pytest.mark.usefixtures("cells_of_one_token")


def outcome(sampler: str, backend: str = "native", **options: object) -> tuple[object, ...]:
    """Return all that two sweeps leave behind."""
    chain = blocklda.Chain(
        COUNTS, 20, sampler=find_subject(sampler), backend=backend, seed=2, **options
    )
    chain.sweep(2)
    generator = chain.state.rng.bit_generator.state
    return chain.assignments().tolist(), chain.n_simulation_steps, generator


def test_every_option_is_here():
    named = set(blocklda.Chain([[1]], 1).options.__dataclass_fields__)
    # Moves come between sweeps, whatever the sampler.
    assert named - {"moves"} == set(OPTIONS) == set(USED_BY)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sampler", [*ALL_SAMPLERS, *OTHER_FORMS])
def test_options_without_use_change_nothing(sampler, backend):
    plain = outcome(sampler, backend)
    for option, values in OPTIONS.items():
        if not uses(sampler, [option]):
            for value in values:
                assert outcome(sampler, backend, **{option: value}) == plain, (option, value)


@pytest.mark.parametrize("option", ["max_block", "shards"])
def test_options_in_use_change_the_draws(option):
    for sampler in USED_BY[option]:
        for value in OPTIONS[option]:
            assert outcome(sampler, **{option: value}) != outcome(sampler), (sampler, value)
