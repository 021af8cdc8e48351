"""Models under fire: one bit flipped anywhere, and readers while a model is replaced."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import blocklda
from blocklda.estimator import base_plan
from blocklda.files import model_file
from blocklda.support.errors import FileFormatError
from tests.files.fits import COUNTS, assert_same, make

NAMES = [f"document {d}" for d in range(len(COUNTS))]


def fitted(**settings: Any) -> blocklda.LDA:
    corpus = blocklda.Corpus.from_matrix(COUNTS, doc_names=NAMES)
    return make("sampled priors", n_sweeps=15, **settings).fit(corpus)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[blocklda.LDA, Path]:
    lda, folder = fitted(), tmp_path_factory.mktemp("saved") / "model"
    lda.save(folder)
    return lda, folder


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


@pytest.mark.parametrize("part", ["model", "corpus", "run", "draws", "parameters"])
def test_a_flipped_bit_is_refused_or_changes_nothing(part, saved):
    lda, folder = saved
    (path,) = folder.glob(f"{part}*")
    content = path.read_bytes()
    refusals = []
    for bit in random.Random(3).sample(range(8 * len(content)), 60):
        flip(path, bit)
        try:
            loaded = blocklda.LDA.load(folder)
        except FileFormatError as error:
            refusals.append(str(error))
        else:
            assert_same(loaded, lda)
            assert loaded.get_params() == lda.get_params()
        path.write_bytes(content)
    # Spaces between the lines of the manifest, and its digest's name, carry nothing.
    assert len(refusals) >= (40 if part == "model" else 60)
    assert all(str(folder) in refusal for refusal in refusals)


def test_a_flipped_bit_does_not_hide_the_names_of_documents(saved):
    """The name of an array stands twice in an archive; the second decides whether it is there."""
    _, folder = saved
    (path,) = folder.glob("corpus*")
    content = path.read_bytes()
    flip(path, 8 * content.rindex(b"doc_names.npy"))
    with pytest.raises(FileFormatError, match="is not the file that was saved"):
        blocklda.LDA.load(folder)
    path.write_bytes(content)
    assert blocklda.LDA.load(folder).result_.corpus.doc_names == tuple(NAMES)


# --- readers while a model is replaced


def test_a_model_replaced_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    fitted().save(tmp_path)
    new = fitted(random_state=9)
    read_run = base_plan.read_run

    def replaced_before(*arguments, **options):
        monkeypatch.undo()
        new.save(tmp_path)
        return read_run(*arguments, **options)

    monkeypatch.setattr(base_plan, "read_run", replaced_before)
    assert_same(blocklda.LDA.load(tmp_path), new)


@pytest.mark.parametrize("patience", [60.0, 0.0])
def test_a_model_replaced_again_and_again_is_read_again_until_time_is_up(
    tmp_path, monkeypatch, patience
):
    lda = fitted()
    lda.save(tmp_path)
    read_run, attempts = base_plan.read_run, []

    def replaced_before(*arguments, **options):
        attempts.append(1)
        if len(attempts) < 12:
            lda.save(tmp_path)
        return read_run(*arguments, **options)

    monkeypatch.setattr(base_plan, "read_run", replaced_before)
    monkeypatch.setattr(model_file, "PATIENCE_SECONDS", patience)
    if patience:
        assert_same(blocklda.LDA.load(tmp_path), lda)
        assert len(attempts) == 12
    else:
        with pytest.raises(FileFormatError, match="does not exist"):
            blocklda.LDA.load(tmp_path)
        assert len(attempts) == 1


def test_readers_meet_one_model_or_the_other(tmp_path):
    models = [fitted(), fitted(random_state=9)]
    for lda in models:
        lda.save(tmp_path)

    def save_again_and_again() -> None:
        for _ in range(4):
            for lda in models:
                time.sleep(0.02)  # a reader shall have a chance
                lda.save(tmp_path)

    saver = threading.Thread(target=save_again_and_again)
    saver.start()
    found = []
    while saver.is_alive() or not found:
        found.append(blocklda.LDA.load(tmp_path))
    saver.join()
    by_seed = {lda.random_state: lda for lda in models}
    for loaded in found:
        assert_same(loaded, by_seed[loaded.random_state])
