"""Pickles from before a parameter existed, and files that say what only a user may say."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from sklearn.base import clone

import blocklda
from blocklda import simulate
from blocklda.estimator import saved

CORPUS = simulate.bars(n_docs=20, side=3, seed=1).corpus


@pytest.fixture
def lda() -> blocklda.LDA:
    return blocklda.LDA(3, n_sweeps=10, burn_in=2, n_jobs=1, random_state=1).fit(CORPUS)


def test_a_pickle_without_the_newest_parameters(lda: blocklda.LDA, tmp_path: Path):
    state = lda.__getstate__()
    for name in ("moves", "max_seconds", "allow_memory_overcommit"):
        del state[name]
    older = blocklda.LDA.__new__(blocklda.LDA)
    older.__setstate__(state)
    older = pickle.loads(pickle.dumps(older))  # noqa: S301
    assert "LDA(" in repr(older)
    older.save(tmp_path / "model")
    assert clone(older).fit(CORPUS).score(CORPUS) == lda.score(CORPUS)
    older.fit(CORPUS)


def write_all_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Save as version 1 did, which left nothing out."""
    monkeypatch.setattr(saved, "OF_THE_USER", ())


def test_a_file_cannot_speak_for_the_user(
    lda: blocklda.LDA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        write_all_parameters(patched)
        lda.set_params(allow_memory_overcommit=True, n_jobs=64)
        lda.save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    assert not loaded.allow_memory_overcommit
    assert loaded.n_jobs == blocklda.LDA().n_jobs
    assert loaded.callback is None


def test_a_start_that_is_a_path_is_not_taken_from_a_file():
    assert saved.restored_parameter("init", "/etc/passwd") == "auto"
    assert saved.restored_parameter("init", "annealed") == "annealed"
