"""Short pinned runs of every sampler, on both backends and under every kind of prior.

They depend on NumPy's PCG64 stream of uniforms, which NumPy promises to keep, and on + − × ÷ and
sqrt in a written order, which IEEE 754 fixes; so they are the same on every machine, instruction
set and compiler. They may change only when a sampler or the random start is changed on purpose, and
the changelog then says that the draws of a seed changed.

`augmented`, `partially-collapsed` and `grid` draw θ, φ or masses of words by NumPy's gamma and
Dirichlet draws. Those use the logarithm and the power of the C library, whose last bit is not
fixed, and NumPy may change how it draws them. So a fixed probe of such draws is pinned too. Where
it differs, these three may differ with it: their tests are then skipped with that reason, and fail
where CI runs.
"""

from __future__ import annotations

import hashlib
import os

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS
from tests.models.lda.samplers.subjects import OTHER_FORMS, find_subject

# Written out rather than drawn, so that nothing else can change it: counts from 0 to 18.
COUNTS = np.array([[(7 * d * d + 5 * v * v + 3 * d * v) % 19 for v in range(9)] for d in range(8)])
COUNTS[COUNTS < 9] = 0
COUNTS[COUNTS > 0] -= 8
COUNTS[3, 4] = 40

N_TOPICS = 11
ALPHA = (1 + np.arange(N_TOPICS) % 5) / 16
BETA = (1 + np.arange(N_TOPICS * 9).reshape(N_TOPICS, 9) % 7) / 32
SETTINGS: dict[str, dict[str, object]] = {
    "numbers": {},
    "alpha vector": {"alpha": ALPHA},
    "beta matrix": {"beta": BETA},
    # More than `sparse` always lists.
    "20 topics": {"n_topics": 20},
}

GOLDEN: dict[str, tuple[str, ...]] = {
    "augmented": (
        "42dc860161269e80",
        "b1ec430c7cf0ebe5",
        "5243fad63fc513f4",
        "b0a7b38214db96b6",
    ),
    "single-site": (
        "f036da2f91ad1ea0",
        "59e1162ecafd94b8",
        "c10900df66870a6e",
        "3bb453b8d42d3984",
    ),
    "backward": (
        "70f269d3abbc0ab1",
        "3764093794b3d876",
        "47890d43cc818c19",
        "7c9df0df079ef14c",
    ),
    "nested": (
        "6ccf4222e8074b8b",
        "55049ff2fa261de0",
        "3cdfb950e598b938",
        "4200b260e9453e4c",
    ),
    "sparse": (
        "5400547c10631584",
        "7bdcf87d15562b3f",
        "101b66f747cb0f13",
        "90480a66337c3476",
    ),
    "sparse-single-site": (
        "ae7620725513199d",
        "20977b7ead44e231",
        "761e74c3c63ada25",
        "260d683bdfd4afeb",
    ),
    "partially-collapsed": (
        "0beeba4cb0001d4b",
        "0616d94dc166fc09",
        "c0dafb3e370d85ca",
        "94b1aa3ac4a78e95",
    ),
    "partially-collapsed on lists": (
        "670b2a3fdfe9658c",
        "cbbfbab1558422bd",
        "cb0f7b90db6d14fb",
        "6390ab2d309501e8",
    ),
    "grid": (
        "2e1a27c813bd7f16",
        "c572923c5a5e00af",
        "9d12664b61a8d422",
        "cc464153649efb6b",
    ),
    "grid on lists": (
        "0b38679e5bd0c394",
        "25b5ad32fb94ee85",
        "28b3b92ac2e7735e",
        "8a090c13406216e6",
    ),
    "approximate-parallel": (
        "dda13ca90a3d6f9b",
        "dda7d88952d5990f",
        "40379cfedf7e5637",
        "114380cfbac2a2b4",
    ),
}
"""The digests of a sampler's topics, one for each of ``SETTINGS``."""

GOLDEN_START = "9d9865094281ad4a"

GOLDEN_ANNEALED: tuple[str, ...] = (
    "c3b7b0f80f6d40a8",
    "0dd8e09dc9a95fab",
    "ecdf02eb0e49a201",
    "17b9cdba13c7b01a",
)
"""The digests after an annealed opening, one for each of ``SETTINGS``."""

GOLDEN_GAMMAS = "e0d071eabc0e73a7"
BY_NUMPYS_GAMMAS = ("augmented", "partially-collapsed", "grid", *OTHER_FORMS)

PINNED = (*ALL_SAMPLERS, *OTHER_FORMS)


def digest_of(numbers: np.ndarray, dtype: str = "<i4") -> str:
    return hashlib.sha256(numbers.astype(dtype).tobytes()).hexdigest()[:16]


def topics(sampler: str, backend: str, name: str, n_sweeps: int = 5, **more: object) -> np.ndarray:
    settings = {"n_topics": N_TOPICS, **SETTINGS[name], **more}
    chain = blocklda.Chain(
        COUNTS, sampler=find_subject(sampler), backend=backend, seed=2024, **settings
    )
    chain.sweep(n_sweeps)
    return chain.assignments()


def digest_of_gammas() -> str:
    """Return the digest of gamma and Dirichlet draws, to the bit, of shapes below and above 1."""
    rng = np.random.Generator(np.random.PCG64(2024))
    shapes = np.array([1e-3, 0.01, 0.1, 0.3125, 0.9, 1.0, 1.01, 2.5, 7.0625, 40.1, 3000.5])
    gammas = rng.standard_gamma(np.tile(shapes, (500, 1)))
    return digest_of(np.append(gammas, rng.dirichlet(shapes, size=500)), "<f8")


def require_the_same_gammas() -> None:
    if digest_of_gammas() == GOLDEN_GAMMAS:
        return
    reason = "NumPy's gamma draws differ from those of the pinned runs; so may the runs"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def test_every_sampler_is_pinned_under_every_setting():
    assert set(GOLDEN) == set(PINNED)
    assert {len(digests) for digests in GOLDEN.values()} == {len(SETTINGS)}


@pytest.mark.usefixtures("cells_of_one_token")
@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("sampler", PINNED)
def test_a_pinned_run_ends_where_it_always_did(sampler, backend):
    if sampler in BY_NUMPYS_GAMMAS:
        require_the_same_gammas()
    found = {name: digest_of(topics(sampler, backend, name)) for name in SETTINGS}
    assert found == dict(zip(SETTINGS, GOLDEN[sampler], strict=True))


@pytest.mark.parametrize("backend", ["native", "python"])
def test_the_variational_start_is_where_it_always_was(backend):
    chain = blocklda.Chain(COUNTS, N_TOPICS, init="variational", backend=backend, seed=2024)
    assert digest_of(chain.assignments()) == GOLDEN_START


@pytest.mark.parametrize("backend", ["native", "python"])
def test_an_annealed_opening_ends_where_it_always_did(backend):
    annealed = {"init": "annealed", "opening_sweeps": 8}
    found = [digest_of(topics("single-site", backend, name, 8, **annealed)) for name in SETTINGS]
    assert found == list(GOLDEN_ANNEALED)
