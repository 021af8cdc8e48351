"""Kernels for new documents and their Python twins agree to the bit, on every instruction set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blocklda
from blocklda import KernelError, _native
from blocklda.evaluate import left_to_right
from blocklda.models.lda.new_documents.infer import infer_doc_topics
from tests.models.lda.new_documents.problems import sampled_theta
from tests.native.invented import REPEATABLE, TOPICS, priors


@dataclass(frozen=True)
class Setting:
    matrix: np.ndarray
    phi: np.ndarray
    alpha: object
    seed: int

    def theta(self, backend: str = "native") -> np.ndarray:
        """Return θ as it is inferred, short documents exactly, and sampled for all."""
        corpus = blocklda.Corpus.from_matrix(self.matrix)
        settings = {"n_sweeps": 7, "seed": self.seed, "backend": backend}
        return np.array(
            [
                infer_doc_topics(corpus, self.phi, self.alpha, **settings),
                sampled_theta(corpus, self.phi, self.alpha, **settings),
            ]
        )

    def batches(self, backend: str = "native") -> np.ndarray:
        result = left_to_right(
            self.phi[0],
            self.alpha,
            self.matrix,
            n_particles=3,
            n_batches=2,
            seed=self.seed,
            backend=backend,
        )
        return result.batches


@st.composite
def invented(draw: st.DrawFn) -> Setting:
    """Invent documents, two φ with and without zeros, and α."""
    n_topics = draw(st.sampled_from(TOPICS))
    n_docs, n_words = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    cell = st.sampled_from((0, 0, 0, 1, 1, 2, 5))
    row = st.lists(cell, min_size=n_words, max_size=n_words)
    matrix = np.array(draw(st.lists(row, min_size=n_docs, max_size=n_docs)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    phi = rng.dirichlet(np.full(n_words, draw(st.sampled_from((0.2, 1.0, 50.0)))), (2, n_topics))
    if draw(st.booleans()):
        phi[:, 1:] *= rng.random(phi[:, 1:].shape) < 0.6
        phi[phi.sum(axis=2) == 0] = 1.0
    phi[:, 0] += 1e-3
    phi /= phi.sum(axis=2, keepdims=True)
    return Setting(matrix, phi, draw(priors((n_topics,))), draw(st.integers(0, 2**32)))


@settings(REPEATABLE, max_examples=60)
@given(setting=invented())
def test_twins_agree(setting):
    assert np.array_equal(setting.theta("native"), setting.theta("python"))
    assert np.array_equal(setting.batches("native"), setting.batches("python"))


@pytest.fixture
def _restored_instruction_set() -> Iterator[None]:
    active = _native.active_instruction_set()
    yield
    _native.use_instruction_set(active)


@pytest.mark.usefixtures("_restored_instruction_set")
@settings(REPEATABLE, max_examples=60)
@given(setting=invented())
def test_instruction_sets_agree(setting):
    outcomes = []
    for name in _native.instruction_sets():
        _native.use_instruction_set(name)
        outcomes.append((setting.theta(), setting.batches()))
    for theta, batches in outcomes[1:]:
        assert np.array_equal(theta, outcomes[0][0])
        assert np.array_equal(batches, outcomes[0][1])


def test_long_documents_and_small_probabilities():
    """Products far below the range of doubles; more topics than a vector has lanes."""
    rng = np.random.default_rng(4)
    phi = rng.dirichlet(np.full(50, 0.1), (2, 40))
    phi = (phi + 1e-9) / (1 + 50e-9)
    matrix = rng.poisson(1.5, (1, 50))
    setting = Setting(matrix, phi, 0.1, 3)
    assert setting.batches().max() < -200
    assert np.array_equal(setting.theta("native"), setting.theta("python"))
    assert np.array_equal(setting.batches("native"), setting.batches("python"))


@pytest.mark.parametrize("backend", ["native", "python"])
def test_weights_below_the_range_of_doubles_end_in_an_error(backend):
    phi = np.array([[1 - 1e-300, 1e-300]])
    setting = Setting(np.array([[0, 1]]), phi[None], 1e-10, 0)
    with pytest.raises(KernelError):
        setting.theta(backend)
    with pytest.raises(KernelError):
        setting.batches(backend)


BITS = np.random.PCG64(1)  # its capsule does not keep it alive
GOOD = {
    "words": np.array([0, 1], dtype=np.int32),
    "counts": np.array([1, 2], dtype=np.int32),
    "alpha": np.full(8, 0.1),
    "n_topics": 8,
    "bit_generator": BITS.capsule,
}
FOLD_IN = {
    "phi": np.full((2, 2, 8), 0.5),
    "n_sweeps": 3,
    "burn_in": 1,
    "most_states": 0,
    "theta": np.zeros((2, 8)),
}
READING = {
    "phi": np.full((2, 8), 0.5),
    "n_particles": 2,
    "products": np.zeros(2),
    "n_small": np.zeros(2, dtype=np.int64),
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"words": np.array([0, 2], dtype=np.int32)}, "word out of range"),
        ({"words": np.array([0, -1], dtype=np.int32)}, "word out of range"),
        ({"counts": np.array([1], dtype=np.int32)}, "differ in length"),
        ({"counts": np.array([1, 0], dtype=np.int32)}, "must be positive"),
        ({"alpha": np.ones(16)}, "alpha and phi differ"),
        ({"n_topics": 9}, "padded"),
        ({"burn_in": 3}, "more than burn_in"),
        ({"most_states": -1}, "most_states"),
        ({"theta": np.zeros((2, 9))}, "one number a topic"),
        ({"theta": np.zeros((1, 8))}, "one number a topic for each phi"),
        ({"n_particles": 0}, "n_particles"),
        ({"n_small": np.zeros(3, dtype=np.int64)}, "differ in length"),
    ],
)
def test_the_border_refuses_what_would_write_outside_tables(change, said):
    name = next(iter(change))
    if name in GOOD | FOLD_IN:
        with pytest.raises(ValueError, match=said):
            _native.fold_in(**(GOOD | FOLD_IN | change))
    if name in GOOD | READING:
        with pytest.raises(ValueError, match=said):
            _native.left_to_right(**(GOOD | READING | change))


def test_the_border_lets_good_calls_through():
    assert _native.fold_in(**(GOOD | FOLD_IN)) == (2 * 3 * 7, -1)
    assert _native.fold_in(**(GOOD | FOLD_IN | {"most_states": 6})) == (0, -1)
    assert _native.left_to_right(**(GOOD | READING)) == (24, -1)
