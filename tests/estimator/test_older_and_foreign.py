"""Pickles from before a parameter existed, and files that say what only a user may say."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone

import blocklda
from blocklda import simulate
from blocklda.estimator import saved
from blocklda.support.errors import FileFormatError

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


ESTIMATORS = (
    blocklda.LDA(3, n_sweeps=6, burn_in=2, n_jobs=1, random_state=1),
    blocklda.HDP(n_sweeps=6, burn_in=2, n_jobs=1, random_state=1),
    blocklda.DPMixture(n_sweeps=6, burn_in=2, n_jobs=1, random_state=1),
)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_pickles_from_before_any_parameter_with_a_default(estimator: Any, tmp_path: Path):
    given = {"n_sweeps", "burn_in", "n_jobs", "random_state", "n_topics"}
    state = {name: value for name, value in estimator.__getstate__().items() if name in given}
    older = type(estimator).__new__(type(estimator))
    older.__setstate__(state)
    assert older.get_params() == estimator.get_params()
    fitted = clone(older).fit(CORPUS)
    assert type(estimator).__name__ in repr(older)
    fitted.save(tmp_path / "model")
    older.fit(CORPUS).save(tmp_path / "again")


WRONG = {
    "n_sweeps": -5,
    "burn_in": "soon",
    "thin": 0,
    "n_chains": 0,
    "random_state": -1,
    "init": [0, 1],
    "keep_draws": -1,
    "max_seconds": "long",
}


def spoil(model: Path, name: str, value: Any) -> None:
    """Change a parameter in a model's manifest, and leave out the digests that would not fit."""
    path = model / "model.json"
    manifest = json.loads(path.read_text())
    manifest["parameters"][name] = value
    del manifest["digests"], manifest["sha256"]
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("name", WRONG)
def test_parameters_of_a_file_are_checked(estimator: Any, name: str, tmp_path: Path):
    clone(estimator).fit(CORPUS).save(tmp_path / "model")
    spoil(tmp_path / "model", name, WRONG[name])
    with pytest.raises(FileFormatError, match=name):
        type(estimator).load(tmp_path / "model")


def test_a_sampler_of_a_file_is_checked(lda: blocklda.LDA, tmp_path: Path):
    lda.save(tmp_path / "model")
    spoil(tmp_path / "model", "sampler", "best")
    with pytest.raises(FileFormatError, match="sampler='best' is unknown"):
        blocklda.LDA.load(tmp_path / "model")


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
