"""The public chain of a mixture: its state, its files and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import FileFormatError, InputError

X = np.array([[1, 1, 0], [0, 2, 1], [1, 1, 0], [0, 0, 0], [0, 0, 4], [1, 1, 0], [0, 2, 1]])


def make(**settings) -> blocklda.DPMixtureChain:
    return blocklda.DPMixtureChain(X, **settings)


@pytest.mark.parametrize("backend", ["native", "python"])
def test_labels_are_positions_among_components(backend):
    chain = make(alpha=2.0, backend=backend)
    for _ in range(30):
        before = chain.component_ids()
        chain.sweep()
        ids, labels, sizes = chain.component_ids(), chain.labels(), chain.component_sizes()
        assert (np.diff(ids) > 0).all()
        assert np.array_equal(np.bincount(labels, minlength=len(ids)), sizes)
        assert (sizes > 0).all()
        born = np.setdiff1d(ids, before)
        assert born.size == 0 or born.min() > before.max()
    assert chain.n_sweeps == 30
    assert chain.n_components == len(ids)


@pytest.mark.parametrize("backend", ["native", "python"])
def test_equal_documents_that_stay_together_keep_their_number(backend):
    """A block that leaves a component empty and is born again is the same component."""
    matrix = np.repeat(np.eye(3, dtype=int) * 40, 4, axis=0)
    labels = np.repeat(np.arange(3), 4)
    chain = blocklda.DPMixtureChain(matrix, alpha=1e-6, learn=False, backend=backend, init=labels)
    chain.sweep(10)
    assert chain.component_ids().tolist() == [0, 1, 2]
    assert np.array_equal(chain.labels(), labels)


def test_components_of_a_finite_mixture_stay():
    chain = make(n_components=12)
    chain.sweep(5)
    assert chain.component_ids().tolist() == list(range(12))
    assert chain.component_sizes().sum() == len(X)
    assert chain.n_components == (chain.component_sizes() > 0).sum() <= 7


def test_alpha_is_fixed_unless_it_is_learned():
    fixed, learned = make(alpha=1.5, learn=False), make(alpha=1.5)
    for chain in (fixed, learned):
        chain.sweep(3)
    assert fixed.alpha == 1.5 != learned.alpha


@pytest.mark.parametrize("settings", [{}, {"n_components": 9}, {"learn": False, "max_block": 1}])
def test_a_saved_chain_continues_to_the_bit(tmp_path, settings):
    chain = make(seed=3, **settings)
    chain.sweep(4)
    chain.save(tmp_path / "chain.npz")
    loaded = blocklda.DPMixtureChain.load(tmp_path / "chain.npz", X)
    for one in (chain, loaded):
        one.sweep(4)
    assert loaded.labels().tolist() == chain.labels().tolist()
    assert loaded.component_ids().tolist() == chain.component_ids().tolist()
    assert (loaded.alpha, loaded.n_sweeps) == (chain.alpha, 8)
    assert loaded.options == chain.options


def test_one_sweep_at_a_time_is_the_same_as_many():
    first, second = make(seed=4), make(seed=4)
    first.sweep(6)
    for _ in range(6):
        second.sweep()
    assert first.labels().tolist() == second.labels().tolist()
    assert first.alpha == second.alpha


def test_files_of_other_models_are_refused(tmp_path):
    blocklda.Chain(X, 2).save(tmp_path / "lda.npz")
    with pytest.raises(FileFormatError, match="'lda', not of 'mixture'"):
        blocklda.DPMixtureChain.load(tmp_path / "lda.npz", X)
    make().save(tmp_path / "mixture.npz")
    with pytest.raises(FileFormatError, match="'mixture', not of 'lda'"):
        blocklda.Chain.load(tmp_path / "mixture.npz", X)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": np.inf}, "alpha"),
        ({"alpha": 1e-40}, "alpha=1e-40 is out of range"),
        ({"beta": [0.1, 0.2]}, "beta has the shape"),
        ({"beta": np.ones((2, 3))}, "beta has the shape"),
        ({"beta": -1}, "beta"),
        ({"n_components": 0}, "n_components"),
        ({"learn": 1}, "learn"),
        ({"backend": "gpu"}, "backend"),
        ({"seed": -1}, "seed"),
        ({"init": "random"}, "init"),
        ({"init": [0, 1]}, "one label per document"),
        ({"init": [0] * 6 + [7]}, "from 0 to 6"),
        ({"alpha_prior": (1.0,)}, "alpha_prior"),
        ({"max_block": 0}, "max_block"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        make(**settings)


def test_an_interrupted_sweep_leaves_the_state_as_it_was(monkeypatch):
    chain = make(seed=5, backend="python")
    chain.sweep(2)
    before = chain.labels().tolist(), chain.alpha, chain.component_ids().tolist()
    monkeypatch.setattr(
        "blocklda.models.mixture.sampler.draw_concentration", lambda state: 1 / 0, raising=True
    )
    with pytest.raises(ZeroDivisionError):
        chain.sweep(2)
    assert (chain.labels().tolist(), chain.alpha, chain.component_ids().tolist()) == before
