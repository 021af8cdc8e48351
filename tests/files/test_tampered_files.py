"""Models whose files were changed or exchanged, with checksums that fit: refused by name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blocklda
from blocklda import InputError
from blocklda.files.archive import write_archive
from blocklda.support.errors import FileFormatError
from tests.files.digests import without_digests
from tests.files.fits import COUNTS, assert_same, make

SETTINGS: dict[str, dict[str, Any]] = {
    "learned": {"keep_draws": 2, "n_sweeps": 45},
    "given": {"learn_alpha": "none", "learn_beta": "none"},
    "other seed": {"learn_alpha": "none", "learn_beta": "none", "random_state": 9},
    "five topics": {"learn_alpha": "none", "learn_beta": "none", "n_topics": 5},
    "three chains": {"learn_alpha": "none", "learn_beta": "none", "n_chains": 3},
}


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name, settings in SETTINGS.items():
        make("sampled priors", **{"n_sweeps": 20, **settings}).fit(COUNTS).save(folder / name)
    return folder


def part(folder: Path, name: str) -> Path:
    (path,) = folder.glob(f"{name}-*.npz")
    return path


def change(path: Path, edit: Callable[[dict[str, Any], dict[str, Any]], object]) -> None:
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    header = json.loads(arrays.pop("header").tobytes())
    edit(header, arrays)
    write_archive(path, header, arrays)


def first_set(name: str, value: float) -> Callable[[dict[str, Any], dict[str, Any]], object]:
    return lambda _, arrays: arrays[name].reshape(-1).__setitem__(0, value)


def exchange(i: int, j: int) -> Callable[[dict[str, Any], dict[str, Any]], object]:
    def edit(header, _):
        draws = header["draws"]
        draws[i], draws[j] = draws[j], draws[i]

    return edit


def other_priors(_, arrays):
    arrays["draw0_alpha"] = np.full(7, 0.1)
    arrays["draw0_beta"] = np.full((1, 7), 0.1)
    arrays["draw0_beta_sum"] = np.full(7, 1.5)


@pytest.mark.parametrize(
    ("file", "edit", "said"),
    [
        ("run", first_set("chain0_sum_doc_values", np.nan), "averages are no probabilities"),
        ("run", first_set("chain0_sum_word_values", -5), "averages are no probabilities"),
        ("run", first_set("chain1_sum_doc_values", 5), "averages are no probabilities"),
        ("run", first_set("chain0_sum_word_priors", 5), "averages are no probabilities"),
        ("run", first_set("chain0_sum_word_topics", 99), "averages are out of order"),
        ("run", first_set("chain0_sum_doc_offsets", -1), "averages are out of order"),
        ("run", first_set("chain0_sum_alphas", -1), "averages do not belong to its draws"),
        ("run", first_set("chain0_sum_draws", 9), "averages do not belong to its draws"),
        ("run", first_set("chain0_kept_draws", 9), "sweeps of its draws are out of order"),
        ("run", first_set("chain0_co_assignment", np.nan), "co-assignments are not"),
        ("run", first_set("chain0_topic_sizes", -5), "sizes of its topics do not add up"),
        ("run", first_set("chain0_alpha_draws", np.nan), "priors of its draws are not positive"),
        ("run", first_set("chain0_beta_draws", -1), "priors of its draws are not positive"),
        ("run", lambda header, _: header.update(chains=[]), "it has no chains"),
        ("run", lambda header, _: header["chains"].pop(), "its run has 1 chains, but n_chains=2"),
        ("run", lambda header, _: header.update(corpus="x"), "a run on another corpus"),
        ("draws", exchange(0, 2), "is not the next one of the run"),
        ("draws", lambda header, _: header["draws"].__setitem__(2, [0, 25]), "not the next one"),
        ("draws", lambda header, _: header["draws"].pop(), "is not of 1 draws"),
        ("draws", lambda _, arrays: arrays.pop("chain1_topics0"), "has no 'chain1_topics0'"),
        ("draws", first_set("chain0_topics0", 200), "is not a topic"),
        ("draws", lambda header, _: header.update(with_priors=False), "do not both have learned"),
        ("draws", other_priors, "priors are those of another number of topics"),
        (
            "corpus",
            lambda _, arrays: arrays.update(vocabulary=np.frombuffer(b"[" * 9999, dtype=np.uint8)),
            "RecursionError",
        ),
    ],
)
def test_changed_numbers_are_refused(file, edit, said, models, tmp_path):
    folder = shutil.copytree(models / "learned", tmp_path / "model")
    change(part(without_digests(folder), file), edit)
    with pytest.raises(FileFormatError, match=said):
        blocklda.LDA.load(folder)


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        ("facts", "burn_in", "x"),
        ("facts", "burn_in", 1e400),
        ("facts", "burn_in", 2.5),
        ("parameters", "alpha_prior", None),
        ("parameters", "alpha_prior", 5),
        ("parameters", "seed_words", 5),
        ("parameters", "seed_words", [[0]]),
        ("parameters", "seed_words", [[[], ["a"]]]),
        ("parameters", "n_topics", 3),
        ("parameters", "n_chains", 5),
        ("parameters", "n_chains", 10**13),
    ],
)
def test_changed_parameters_are_refused(where, name, value, models, tmp_path):
    folder = shutil.copytree(models / "learned", tmp_path / "model")
    manifest = json.loads((folder / "model.json").read_text())
    manifest[where][name] = value
    without_digests(folder, **{where: manifest[where]})
    with pytest.raises(FileFormatError, match="is not a model that can be read"):
        blocklda.LDA.load(folder)


@pytest.mark.parametrize("file", ["run", "draws"])
@pytest.mark.parametrize("other", ["learned", "other seed", "five topics", "three chains"])
def test_files_of_another_model_are_refused(file, other, models, tmp_path):
    folder = without_digests(shutil.copytree(models / "given", tmp_path / "model"))
    shutil.copy(part(models / other, file), part(folder, file))
    with pytest.raises(FileFormatError):
        blocklda.LDA.load(folder)


def test_files_that_fit_each_other_but_not_the_manifest_are_refused(models, tmp_path):
    """Chains and draws of the same data and settings with another seed: a plausible mixture."""
    folder = shutil.copytree(models / "given", tmp_path / "model")
    for name in ("run", "draws"):
        shutil.copy(part(models / "other seed", name), part(folder, name))
    with pytest.raises(FileFormatError, match=r"-[0-9a-f]{8}\.npz is not the file that was saved"):
        blocklda.LDA.load(folder)


@pytest.mark.parametrize(
    ("name", "value"), [("n_sweeps", 25), ("alpha", 0.2), ("keep_draws", False)]
)
def test_a_parameter_changed_by_hand_is_refused(name, value, models, tmp_path):
    folder = shutil.copytree(models / "learned", tmp_path / "model")
    path = folder / "model.json"
    manifest = json.loads(path.read_text())
    manifest["parameters"][name] = value
    path.write_text(json.dumps(manifest))
    with pytest.raises(FileFormatError, match=r"model\.json was changed or damaged"):
        blocklda.LDA.load(folder)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"n_topics": 7}, "n_topics=7 was 4 in the fit.*set it back, or fit again"),
        ({"learn_alpha": "symmetric"}, "learn_alpha="),
        ({"n_sweeps": 6}, "n_sweeps=6 with burn_in=5 and thin=5 keeps no draw"),
        ({"n_jobs": "two"}, "n_jobs='two' is not allowed"),
        ({"init": object()}, "init="),
    ],
)
def test_a_model_that_could_not_be_loaded_is_not_saved(changed, said, tmp_path):
    lda = make("one chain", n_sweeps=20).fit(COUNTS)
    lda.save(tmp_path)
    before = blocklda.LDA.load(tmp_path)
    with pytest.raises(InputError, match=said):
        lda.set_params(**changed).save(tmp_path)
    assert_same(blocklda.LDA.load(tmp_path), before)
