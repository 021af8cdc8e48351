"""Short pinned runs.

They depend on NumPy's PCG64 stream of uniforms, which NumPy promises to keep, and on + − × ÷ and
sqrt in a written order, which IEEE 754 fixes; so they are the same on every machine, instruction
set and compiler. They may change only when a sampler or the random start is changed on purpose, and
the changelog then says that the draws of a seed changed. `augmented` is not pinned: NumPy's
Dirichlet draws use the logarithm of the C library, whose last bit is not fixed.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import blocklda

# Written out rather than drawn, so that nothing else can change it: counts from 0 to 18.
COUNTS = np.array([[(7 * d * d + 5 * v * v + 3 * d * v) % 19 for v in range(9)] for d in range(8)])
COUNTS[COUNTS < 9] = 0
COUNTS[COUNTS > 0] -= 8
COUNTS[3, 4] = 40

GOLDEN = {
    "single-site": "3449c6db66c387f4",
    "backward": "70f269d3abbc0ab1",
    "nested": "6ccf4222e8074b8b",
}
GOLDEN_START = "9d9865094281ad4a"


def digest(sampler: str, backend: str) -> str:
    chain = blocklda.Chain(COUNTS, 11, sampler=sampler, backend=backend, seed=2024)
    chain.sweep(5)
    return digest_of(chain)


def digest_of(chain: blocklda.Chain) -> str:
    return hashlib.sha256(chain.assignments().astype("<i4").tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("sampler", GOLDEN)
def test_a_pinned_run_ends_where_it_always_did(sampler, backend):
    assert digest(sampler, backend) == GOLDEN[sampler]


@pytest.mark.parametrize("backend", ["native", "python"])
def test_the_variational_start_is_where_it_always_was(backend):
    chain = blocklda.Chain(COUNTS, 11, init="variational", backend=backend, seed=2024)
    assert digest_of(chain) == GOLDEN_START
