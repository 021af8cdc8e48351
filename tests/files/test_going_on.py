"""Runs that go on under other circumstances: longer, shorter, in another process, without draws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import blocklda
from blocklda import InputError
from tests.files.fits import COUNTS, assert_same, make

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["three chains", "optimised priors"])
def test_a_run_made_longer_keeps_its_burn_in(name, tmp_path):
    """With "auto" a longer fit would have a longer one, and keep no draws for a while."""
    short = make(name, burn_in="auto", n_sweeps=20)
    long = make(name, burn_in="auto", n_sweeps=60)
    whole = make(name, burn_in=10, n_sweeps=60).fit(COUNTS)
    short.fit(COUNTS, checkpoint=tmp_path)
    assert_same(long.fit(COUNTS, checkpoint=tmp_path), whole)
    assert_same(
        long.set_params(warm_start=True, n_sweeps=80).fit(COUNTS),
        make(name, burn_in=10, n_sweeps=80).fit(COUNTS),
    )


def test_a_checkpoint_beyond_the_last_sweep_is_said(tmp_path):
    make("one chain", n_sweeps=40).fit(COUNTS, checkpoint=tmp_path)
    with pytest.raises(InputError, match=r"n_sweeps=20 is less than the 40 sweeps already done"):
        make("one chain", n_sweeps=20).fit(COUNTS, checkpoint=tmp_path)


def test_a_set_of_seed_words_is_the_same_in_every_process(tmp_path):
    program = f"""
import sys
import blocklda
from tests.files.fits import COUNTS, make
names = [f"word {{v}}" for v in range(15)]
lda = make("one chain", seed_words={{0: set(names[:8])}}, n_sweeps=int(sys.argv[1]))
lda.fit(blocklda.Corpus.from_matrix(COUNTS, names), checkpoint={str(tmp_path)!r})
"""
    for hash_seed, n_sweeps in (("1", "20"), ("2", "30")):
        subprocess.run(
            [sys.executable, "-c", program, n_sweeps],
            cwd=ROOT,
            env={"PYTHONHASHSEED": hash_seed},
            check=True,
        )


def test_a_model_without_draws_can_go_on_and_be_saved_again(tmp_path):
    make("three chains", n_sweeps=20).fit(COUNTS).save(tmp_path / "model", draws=False)
    lda = blocklda.LDA.load(tmp_path / "model").set_params(warm_start=True, n_sweeps=45)
    lda.fit(COUNTS, checkpoint=tmp_path / "checkpoint", every=7)
    whole = make("three chains", keep_draws=False).fit(COUNTS)
    assert_same(lda, whole)
    lda.save(tmp_path / "again")
    assert_same(blocklda.LDA.load(tmp_path / "again"), whole)
    resumed = make("three chains", keep_draws=False)
    assert_same(resumed.fit(COUNTS, checkpoint=tmp_path / "checkpoint"), whole)


# --- folders


def test_unfinished_files_of_others_are_left_alone(tmp_path):
    others = ["film.part", "film.mkv.part", "run-000001.npz.part"]
    for folder in (tmp_path / "model", tmp_path / "checkpoint"):
        folder.mkdir()
        for name in others:
            (folder / name).write_text("mine")
    lda = make("one chain").fit(COUNTS, checkpoint=tmp_path / "checkpoint")
    assert {path.name for path in (tmp_path / "checkpoint").iterdir()} >= set(others)
    with pytest.raises(InputError, match=r"holds other files"):
        lda.save(tmp_path / "model")


def test_a_model_and_a_checkpoint_do_not_share_a_folder(tmp_path):
    lda = make("one chain").fit(COUNTS)
    lda.save(tmp_path / "model")
    with pytest.raises(InputError, match="holds a model: give another folder"):
        lda.fit(COUNTS, checkpoint=tmp_path / "model")
    lda.fit(COUNTS, checkpoint=tmp_path / "checkpoint")
    with pytest.raises(InputError, match="holds other files"):
        lda.save(tmp_path / "checkpoint")


@pytest.mark.parametrize("name", ["", "x" * 300])
def test_names_that_name_nothing(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lda = make("one chain").fit(COUNTS)
    for attempt in (
        lambda: lda.save(name),
        lambda: lda.fit(COUNTS, checkpoint=name),
        lambda: blocklda.LDA.load(name),
    ):
        with pytest.raises(InputError, match=r"is not (the|a valid)"):
            attempt()
    assert not list(tmp_path.iterdir())
