"""Files cannot make blocklda open others: names lead nowhere, links and pipes are refused."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

import blocklda
from blocklda.files.archive import write_archive
from blocklda.formats import read_corpus
from blocklda.support.errors import FileFormatError, InputError
from tests.files.fits import COUNTS, make

OUTSIDE = ("../outside.npz", "/etc/passwd", "sub/run-00000001.npz", "..", "", "run-00000001.npz\0")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("fitted")
    make("one chain").fit(COUNTS, checkpoint=folder / "checkpoint", every=20).save(folder / "model")
    manifest = json.loads((folder / "model" / "model.json").read_text())
    for name in ("digests", "sha256"):  # without them every model is refused for another reason
        manifest.pop(name, None)
    (folder / "model" / "model.json").write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize("part", ["corpus", "run", "draws", "parameters"])
@pytest.mark.parametrize("name", OUTSIDE)
def test_a_manifest_names_files_of_its_folder_only(fitted, tmp_path, part, name) -> None:
    model = shutil.copytree(fitted / "model", tmp_path / "model")
    manifest = json.loads((model / "model.json").read_text())
    shutil.copy(model / manifest["files"][part], tmp_path / "outside.npz")
    manifest["files"][part] = name
    (model / "model.json").write_text(json.dumps(manifest))
    with pytest.raises(FileFormatError, match="names unknown files"):
        blocklda.LDA.load(model)


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_checkpoint_names_draws_of_its_folder_only(fitted, tmp_path, name) -> None:
    checkpoint = shutil.copytree(fitted / "checkpoint", tmp_path / "checkpoint")
    for run in checkpoint.glob("run-*.npz"):
        with np.load(run) as stored:
            arrays = {key: stored[key] for key in stored.files}
        header = json.loads(arrays.pop("header").tobytes())
        shutil.copy(checkpoint / header["facts"]["draws"][0], tmp_path / "outside.npz")
        header["facts"]["draws"][0] = name
        write_archive(run, header, arrays)
    with pytest.raises(FileFormatError, match=r"draws that do not exist|not a readable checkpoint"):
        make("one chain").fit(COUNTS, checkpoint=checkpoint, every=20)


@pytest.mark.parametrize("what", ["pipe", "device", "folder"])
@pytest.mark.parametrize("part", ["model.json", "corpus-*", "run-*"])
def test_a_model_is_made_of_files(fitted, tmp_path, part, what) -> None:
    model = shutil.copytree(fitted / "model", tmp_path / "model")
    (path,) = model.glob(part)
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(FileFormatError, match=r"cannot read|not a"):
        blocklda.LDA.load(model)


def test_a_file_of_a_model_may_be_kept_behind_a_link(fitted, tmp_path) -> None:
    model = shutil.copytree(fitted / "model", tmp_path / "model")
    (path,) = model.glob("corpus-*")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert blocklda.LDA.load(model).n_features_in_ == COUNTS.shape[1]


@pytest.mark.parametrize("what", ["pipe", "device"])
def test_a_folder_of_texts_has_files_only(tmp_path, what) -> None:
    (tmp_path / "a.txt").write_text("apple crow")
    if what == "pipe":
        os.mkfifo(tmp_path / "b.txt")
    else:
        (tmp_path / "b.txt").symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"b\.txt is not a regular file"):
        read_corpus(tmp_path)


def test_links_between_folders_of_texts_are_not_followed(tmp_path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "a.txt").write_text("apple crow")
    (outside / "b.txt").write_text("secret")
    (inside / "link").symlink_to(outside)
    assert read_corpus(inside).vocabulary == ("apple", "crow")


# --- HDF5, which has links of its own


def small(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["X"] = np.array([[1, 0], [2, 3]])
        for axis, names in (("obs", ["a", "b"]), ("var", ["c", "d"])):
            file.create_group(axis).attrs["_index"] = "_index"
            file[axis]["_index"] = names


def external(file: h5py.File, secret: Path) -> None:
    del file["X"]
    file["X"] = h5py.ExternalLink(str(secret), "/X")


def soft(file: h5py.File, secret: Path) -> None:
    external(file, secret)
    file.move("X", "Y")
    file["X"] = h5py.SoftLink("/Y")


def stored_outside(file: h5py.File, secret: Path) -> None:
    del file["X"]
    file.create_dataset("X", (2, 2), "i8", external=[(str(secret), 0, 32)])


def virtual(file: h5py.File, secret: Path) -> None:
    del file["X"]
    layout = h5py.VirtualLayout((2, 2), "i8")
    layout[:] = h5py.VirtualSource(str(secret), "X", (2, 2))
    file.create_virtual_dataset("X", layout)


def names_outside(file: h5py.File, secret: Path) -> None:
    del file["obs/_index"]
    file["obs/_index"] = h5py.ExternalLink(str(secret), "/obs/_index")


def advice_outside(file: h5py.File, secret: Path) -> None:
    del file["X"]
    file["raw"] = h5py.ExternalLink(str(secret), "/")


@pytest.mark.parametrize(
    "lead_out", [external, soft, stored_outside, virtual, names_outside, advice_outside]
)
def test_hdf5_does_not_lead_to_other_files(tmp_path, lead_out) -> None:
    small(tmp_path / "secret.h5ad")
    path = tmp_path / "x.h5ad"
    small(path)
    assert read_corpus(path).n_tokens == 6
    with h5py.File(path, "a") as file:
        lead_out(file, tmp_path / "secret.h5ad")
    with pytest.raises(FileFormatError, match=r"not followed|not read"):
        read_corpus(path)
