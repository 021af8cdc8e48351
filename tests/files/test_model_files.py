"""Models on disk: JSON and NPZ, no code; whole or refused; loaded as they were saved."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import blocklda
from blocklda import InputError
from blocklda.files import archive
from blocklda.models.lda.draw import Draw
from blocklda.results.alignment import match_topics
from blocklda.support.errors import FileFormatError
from tests.files.digests import without_digests
from tests.files.fits import COUNTS, FITS, assert_same, make

NAMES = [f"word {v}" for v in range(COUNTS.shape[1])]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A good model."""
    make("sampled priors", n_sweeps=20).fit(COUNTS).save(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("name", FITS)
def test_a_loaded_model_is_the_saved_one(name, tmp_path):
    lda = make(name).fit(COUNTS)
    lda.save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    assert_same(loaded, lda)
    # How many processes to use is said by whoever uses the model.
    assert loaded.get_params() == {**lda.get_params(), "n_jobs": loaded.n_jobs}
    assert np.array_equal(loaded.transform(COUNTS), lda.transform(COUNTS))
    assert loaded.score(COUNTS) == lda.score(COUNTS)


@pytest.mark.parametrize(
    "settings",
    [
        {"alpha": [0.1, 0.2, 0.3, 0.4]},
        {"alpha": np.array([0.1, 0.2, 0.3, 0.4]), "beta": np.full((4, 15), 0.3)},
        {"seed_words": {1: ["word 3"], np.int64(2): ["word 4", "word 5"]}},
        {"n_topics": np.int64(4), "random_state": np.int64(3), "burn_in": "auto"},
        {"init": np.arange(COUNTS.sum()) % 4},
    ],
)
def test_parameters_of_every_kind_come_back(settings, tmp_path):
    lda = make("one chain", **settings).fit(pd.DataFrame(COUNTS, columns=NAMES))
    lda.save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    assert_same(loaded, lda)
    assert loaded.feature_names_in_.tolist() == NAMES
    loaded.set_params(warm_start=True, n_sweeps=60).fit(lda.result_.corpus)
    lda.set_params(warm_start=True, n_sweeps=60).fit(lda.result_.corpus)
    assert_same(loaded, lda)


def test_what_cannot_be_written_down_is_left_out(tmp_path):
    lda = make("one chain", random_state=np.random.default_rng(3), callback=lambda _: None)
    lda.fit(COUNTS).save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    assert loaded.callback is None
    assert loaded.random_state is None
    assert_same(loaded, lda)


def test_a_model_without_draws_is_smaller_and_says_what_it_lacks(tmp_path):
    lda = make("three chains").fit(COUNTS)
    lda.save(tmp_path / "model", draws=False)
    assert not list((tmp_path / "model").glob("draws-*"))
    loaded = blocklda.LDA.load(tmp_path / "model")
    assert np.array_equal(loaded.components_, lda.components_)
    assert loaded.transform(COUNTS) == pytest.approx(lda.transform(COUNTS), abs=0.5)
    with pytest.raises(InputError, match=r"log_predictive needs draws.*draws=True"):
        loaded.log_predictive(COUNTS)


def test_a_model_holds_no_code(folder):
    for path in folder.glob("*.npz"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                with archive.open(name) as file:
                    np.lib.format.read_array(file, allow_pickle=False)
    manifest = json.loads((folder / "model.json").read_text())
    assert manifest["kind"] == "blocklda model"
    assert manifest["version"] == 1


def test_an_unfitted_model_cannot_be_saved(tmp_path):
    with pytest.raises(NotFittedError):
        make("one chain").save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


# --- writing


def test_saving_again_replaces_the_model(folder):
    lda = make("one chain").fit(COUNTS)
    lda.save(folder)
    assert_same(blocklda.LDA.load(folder), lda)
    assert len(list(folder.iterdir())) == 6, "four archives, the manifest and the lock"


def test_other_peoples_folders_are_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    lda = make("one chain").fit(COUNTS)
    with pytest.raises(InputError, match=r"holds other files \('thesis.tex'\)"):
        lda.save(tmp_path)
    with pytest.raises(InputError, match="it is a file"):
        lda.save(tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("n_written", range(5))
def test_a_full_disk_leaves_the_model_before(folder, n_written, monkeypatch):
    before = blocklda.LDA.load(folder)
    names = {path.name for path in folder.iterdir()}
    lda = make("one chain").fit(COUNTS)
    write, written = archive.write_arrays, []

    def fill_the_disk(*arguments):
        if len(written) == n_written:
            raise OSError(28, "No space left on device")
        written.append(1)
        write(*arguments)

    if n_written == 4:
        monkeypatch.setattr(json, "dumps", lambda *_, **__: _no_space())
    else:
        monkeypatch.setattr(archive, "write_arrays", fill_the_disk)
    with pytest.raises((InputError, OSError), match="No space left"):
        lda.save(folder)
    monkeypatch.undo()
    assert {path.name for path in folder.iterdir()} == names, "nothing is left of the attempt"
    assert_same(blocklda.LDA.load(folder), before)
    lda.save(folder)
    assert_same(blocklda.LDA.load(folder), lda)
    assert len(list(folder.iterdir())) == 6


def test_ctrl_c_just_after_the_manifest_leaves_the_new_model(folder, monkeypatch):
    def interrupt(place: Path) -> None:
        if (place / "model.json").read_bytes() != before:
            raise KeyboardInterrupt

    before = (folder / "model.json").read_bytes()
    lda = make("one chain").fit(COUNTS)
    monkeypatch.setattr("blocklda.files.atomic_write.sync_folder", interrupt)
    with pytest.raises(KeyboardInterrupt):
        lda.save(folder)
    assert_same(blocklda.LDA.load(folder), lda)


def _no_space() -> str:
    raise OSError(28, "No space left on device")


# --- reading


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(
        FileFormatError, match=r"not hold a model: give a folder that LDA\.save wrote"
    ):
        blocklda.LDA.load(tmp_path)
    with pytest.raises(FileFormatError, match="absent does not hold a model"):
        blocklda.LDA.load(tmp_path / "absent")


@pytest.mark.parametrize("part", ["corpus", "run", "draws", "parameters", "model"])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "flipped"])
def test_a_damaged_model_is_refused_with_the_file_that_is(part, damage, folder):
    (path,) = folder.glob(f"{part}*")
    content = path.read_bytes()
    middle = len(content) // 2
    if damage == "missing":
        path.unlink()
    else:
        flipped = content[:middle] + bytes([content[middle] ^ 0x80]) + content[middle + 1 :]
        path.write_bytes({"empty": b"", "cut": content[:-20], "flipped": flipped}[damage])
    with pytest.raises(FileFormatError, match=str(folder)):
        blocklda.LDA.load(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "photo album"}, "is not that of a model"),
        ({"version": 2}, "version 2 of the model format; this version of blocklda reads version 1"),
        ({"files": {"run": "../../etc/passwd"}}, "incomplete"),
        ({"files": None}, "incomplete"),
        ({"parameters": {"colour": 3}}, "parameter 'colour'"),
        ({"parameters": {"n_topics": 0}}, "n_topics=0"),
        ({"facts": {}}, "burn_in"),
    ],
)
def test_a_wrong_manifest_is_refused(changes, said, folder):
    without_digests(folder, **changes)
    with pytest.raises(FileFormatError, match=said):
        blocklda.LDA.load(folder)


def test_files_outside_the_folder_are_not_read(folder, tmp_path):
    manifest = json.loads((folder / "model.json").read_text())
    (outside,) = folder.glob("run-*")
    shutil.copy(outside, tmp_path / "run-00000000.npz")
    manifest["files"]["run"] = "../run-00000000.npz"
    without_digests(folder, files=manifest["files"])
    with pytest.raises(FileFormatError, match="names unknown files"):
        blocklda.LDA.load(folder)


FIRST_VERSION = Path(__file__).parent / "model_version_1"


def test_a_model_of_the_first_version_keeps_loading():
    """Written by blocklda 0.1.0. The figures were printed then; the files never change."""
    lda = blocklda.LDA.load(FIRST_VERSION)
    assert lda.n_topics == 3
    assert lda.n_chains == 2
    assert lda.feature_names_in_.tolist() == ["apple", "bread", "cheese", "dough", "egg"]
    assert len(lda.draws_) == 4
    # It printed means over both chains, topics matched to those of the first.
    expected = json.loads((FIRST_VERSION.parent / "model_version_1.json").read_text())
    phi, theta, alpha = (
        [
            np.mean([of(draw) for draw in lda.draws_ if draw.chain == chain], axis=0)
            for chain in (0, 1)
        ]
        for of in (Draw.topic_word, Draw.doc_topic, lambda draw: draw.priors.alpha)
    )
    order = match_topics(phi[1], phi[0])
    assert (phi[0] + phi[1][order]) / 2 == pytest.approx(np.array(expected["components"]))
    assert (theta[0] + theta[1][:, order]) / 2 == pytest.approx(np.array(expected["doc_topic"]))
    assert (alpha[0] + alpha[1][order]) / 2 == pytest.approx(expected["alpha"])
    assert lda.components_ == pytest.approx(phi[lda.result_.reference], rel=1e-12)
    assert lda.doc_topic_ == pytest.approx(theta[lda.result_.reference], rel=1e-12)
    assert lda.alpha_ == pytest.approx(alpha[lda.result_.reference], rel=1e-12)
    assert (lda.alpha, lda.beta, lda.learn_how) == (0.1, 0.01, "sampled")
    assert (lda.learn_alpha, lda.learn_beta) == ("asymmetric", "symmetric")
    assert lda.transform([[1, 0, 2, 0, 0]]).shape == (1, 3)
    with pytest.warns(blocklda.DrawOrderWarning, match="the other version"):
        lda.set_params(warm_start=True, n_sweeps=30).fit(lda.result_.corpus)
    assert lda.n_sweeps_ == 30
