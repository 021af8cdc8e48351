"""Runs that are stopped anywhere and gone on with end as if they had never been stopped."""

from __future__ import annotations

import errno
import os
import shutil
import warnings
from pathlib import Path

import pytest

import blocklda
from blocklda import InputError
from blocklda.files import archive, checkpoint
from blocklda.support.errors import FileFormatError
from tests.files.fits import COUNTS, FITS, assert_same, make


class KilledError(Exception):
    """Stands for the end of the process."""


def die_at(sweep: int):
    def callback(draw):
        if draw.sweep >= sweep:
            raise KilledError

    return callback


@pytest.mark.parametrize("name", FITS)
def test_a_resumed_run_ends_as_one_never_stopped(name, tmp_path):
    whole = make(name).fit(COUNTS)
    assert_same(make(name).fit(COUNTS, checkpoint=tmp_path / "never stopped", every=4), whole)
    folder = tmp_path / "stopped"
    for sweep in (10, 25):
        with pytest.raises(KilledError):
            make(name, callback=die_at(sweep)).fit(COUNTS, checkpoint=folder, every=7)
    seen = []
    lda = make(name, callback=lambda draw: seen.append(draw.sweep))
    assert_same(lda.fit(COUNTS, checkpoint=folder, every=7), whole)
    assert min(seen) == 25, "it went on from sweep 21"


def test_a_finished_run_is_returned_at_once(tmp_path):
    whole = make("three chains").fit(COUNTS, checkpoint=tmp_path)
    again = make("three chains", callback=die_at(10)).fit(COUNTS, checkpoint=tmp_path)
    assert_same(again, whole)


def test_a_finished_run_can_be_made_longer(tmp_path):
    make("three chains", n_sweeps=20).fit(COUNTS, checkpoint=tmp_path)
    longer = make("three chains").fit(COUNTS, checkpoint=tmp_path)
    assert_same(longer, make("three chains").fit(COUNTS))


def test_a_warm_start_may_write_checkpoints(tmp_path):
    lda = make("one chain", n_sweeps=20, warm_start=True).fit(COUNTS)
    lda.set_params(n_sweeps=45).fit(COUNTS, checkpoint=tmp_path)
    assert_same(lda, make("one chain").fit(COUNTS))
    assert_same(make("one chain").fit(COUNTS, checkpoint=tmp_path), lda)


def test_fresh_entropy_is_kept_from_the_first_moment(tmp_path):
    """Without a seed too: the chains of the first session go on, not new ones."""
    lda = make("one chain", random_state=None, callback=die_at(10))
    with pytest.raises(KilledError):
        lda.fit(COUNTS, checkpoint=tmp_path / "one", every=100)
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    one, other = (
        make("one chain", random_state=None).fit(COUNTS, checkpoint=tmp_path / name)
        for name in ("one", "other")
    )
    assert_same(one, other)


# --- what the folder holds


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_two_generations_are_kept(tmp_path):
    make("one chain").fit(COUNTS, checkpoint=tmp_path, every=10)
    # Sweeps 0, 10, 20, 30, 40 and 45; draws arrive from sweep 10 on.
    draws = [f"draws-{number:06d}.npz" for number in range(2, 7)]
    assert names(tmp_path) == [*draws, "lock", "run-000005.npz", "run-000006.npz"]


def test_what_killed_processes_left_is_removed(tmp_path):
    (tmp_path / "run-000001.npz.x2.part").write_bytes(b"half of it")
    (tmp_path / "draws-000077.npz").write_bytes(b"of no generation")
    (tmp_path / "notes.txt").write_text("mine")
    make("one chain").fit(COUNTS, checkpoint=tmp_path, every=45)
    assert names(tmp_path) == [
        "draws-000002.npz",
        "lock",
        "notes.txt",
        "run-000001.npz",
        "run-000002.npz",
    ]


# --- what is wrong with a folder


def stopped(folder: Path) -> blocklda.LDA:
    """Leave a run at sweep 28 in a folder; return what it should come to."""
    with pytest.raises(KilledError):
        make("sampled priors", callback=die_at(30)).fit(COUNTS, checkpoint=folder, every=7)
    return make("sampled priors").fit(COUNTS)


@pytest.mark.parametrize("name", ["run-000005.npz", "draws-000005.npz"])
@pytest.mark.parametrize("damage", ["missing", "cut", "flipped", "empty"])
def test_a_damaged_generation_leaves_the_one_before(name, damage, tmp_path):
    whole = stopped(tmp_path)
    assert name in names(tmp_path)
    path = tmp_path / name
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        # More than the names and dates of an archive, where a bit may do no harm.
        part = slice(len(content) // 2, len(content) // 2 + 200)
        flipped = bytes(byte ^ 1 for byte in content[part])
        path.write_bytes(content[: part.start] + flipped + content[part.stop :])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        lda = make("sampled priors").fit(COUNTS, checkpoint=tmp_path, every=7)
    assert_same(lda, whole)
    if (name, damage) != ("run-000005.npz", "missing"):
        assert any("The previous checkpoint is used, at sweep 21" in str(w.message) for w in said)


def test_nothing_readable_is_an_error_and_stays_as_it_is(tmp_path):
    stopped(tmp_path)
    for path in tmp_path.glob("run-*.npz"):
        path.write_bytes(b"nothing")
    before = names(tmp_path)
    with pytest.raises(
        FileFormatError,
        match=r"run-000005\.npz is not a readable checkpoint.*another folder to restart",
    ):
        make("sampled priors").fit(COUNTS, checkpoint=tmp_path)
    assert names(tmp_path) == before


def test_draws_that_both_generations_need_are_missed_by_name(tmp_path):
    stopped(tmp_path)
    (tmp_path / "draws-000003.npz").unlink()
    with pytest.raises(
        FileFormatError,
        match=r"draws-000003\.npz does not exist.*another folder to restart",
    ):
        make("sampled priors").fit(COUNTS, checkpoint=tmp_path)


def test_files_removed_under_way_are_written_again(tmp_path):
    """Else the run would go on naming files of draws that are gone, and could not be resumed."""

    def remove(draw):
        if (draw.chain, draw.sweep) == (0, 25):
            for path in tmp_path.glob("*.npz"):
                path.unlink()
        if draw.sweep == 40:
            raise KilledError

    lda = make("sampled priors", callback=remove)
    with (
        pytest.warns(UserWarning, match=r"draws-000003\.npz is missing, so all draws so far are"),
        pytest.raises(KilledError),
    ):
        lda.fit(COUNTS, checkpoint=tmp_path, every=7)
    seen = []
    lda = make("sampled priors", callback=lambda draw: seen.append(draw.sweep))
    assert_same(lda.fit(COUNTS, checkpoint=tmp_path, every=7), make("sampled priors").fit(COUNTS))
    assert min(seen) == 40


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"n_topics": 5}, "made with n_topics=4, but now it is 5"),
        ({"random_state": 8}, "made with random_state=7, but now it is 8"),
        ({"alpha": [0.1, 0.2, 0.3, 0.4]}, "made with alpha=0.1, but now it is"),
        ({"thin": 1}, "made with thin=5"),
    ],
)
def test_other_settings_do_not_go_on(changed, said, tmp_path):
    stopped(tmp_path)
    with pytest.raises(InputError, match=said):
        make("sampled priors", **changed).fit(COUNTS, checkpoint=tmp_path)


def test_another_corpus_does_not_go_on(tmp_path):
    stopped(tmp_path)
    with pytest.raises(InputError, match="a run on another corpus"):
        make("sampled priors").fit(COUNTS + 1, checkpoint=tmp_path)


def test_two_runs_do_not_share_a_folder(tmp_path):
    def second(_):
        with pytest.raises(InputError, match="in use by another run"):
            make("one chain").fit(COUNTS, checkpoint=tmp_path)
        return True

    make("one chain", callback=second).fit(COUNTS, checkpoint=tmp_path)
    make("one chain").fit(COUNTS, checkpoint=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"checkpoint": "a file"}, "is a file: give the name of a folder"),
        ({"checkpoint": "a file/folder"}, "cannot write .*Not a directory"),
        ({"checkpoint": "here", "every": 0}, "every=0 is not allowed"),
        ({"checkpoint": "here", "every": 2.5}, r"every=2\.5 is not allowed"),
        ({"checkpoint": 3}, "3 is not a valid file name"),
    ],
)
def test_wrong_arguments_are_refused_before_the_first_sweep(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a file").write_text("")
    lda = make("one chain", callback=die_at(10))
    with pytest.raises(InputError, match=said):
        lda.fit(COUNTS, **arguments)
    assert not hasattr(lda, "components_")


def test_a_full_disk_at_the_start_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "write_arrays", _fills_the_disk)
    with pytest.raises(InputError, match="No space left on device"):
        make("one chain", callback=die_at(10)).fit(COUNTS, checkpoint=tmp_path)
    assert names(tmp_path) == ["lock"]


def test_a_full_disk_later_on_is_said_and_the_fit_goes_on(tmp_path, monkeypatch):
    whole = make("one chain").fit(COUNTS)

    def fill_the_disk(draw):
        if draw.sweep == 20:
            monkeypatch.setattr(archive, "write_arrays", _fills_the_disk)

    with pytest.warns(UserWarning, match="No space left on device.*The fit continues") as said:
        lda = make("one chain", callback=fill_the_disk).fit(COUNTS, checkpoint=tmp_path, every=10)
    assert len(said) == 4  # sweeps 20, 30, 40 and 45
    assert_same(lda, whole)
    monkeypatch.undo()
    seen = []
    lda = make("one chain", callback=lambda draw: seen.append(draw.sweep))
    assert_same(lda.fit(COUNTS, checkpoint=tmp_path), whole)
    assert seen[0] == 15


def test_a_file_system_that_turns_read_only_is_said_and_the_fit_goes_on(tmp_path, monkeypatch):
    """As after an error of the disk: the file aside can be neither renamed nor removed."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    def turn_read_only(draw):
        if draw.sweep == 20:
            monkeypatch.setattr(os, "replace", refuse)
            monkeypatch.setattr(os, "unlink", refuse)

    with pytest.warns(UserWarning, match="Read-only file system.*The fit continues"):
        lda = make("one chain", callback=turn_read_only).fit(COUNTS, checkpoint=tmp_path, every=10)
    monkeypatch.undo()
    assert_same(lda, make("one chain").fit(COUNTS))
    assert_same(make("one chain").fit(COUNTS, checkpoint=tmp_path), lda)


def _fills_the_disk(file: object, *_: object) -> None:
    file.write(b"the beginning")
    raise OSError(28, "No space left on device")


def test_two_generations_are_what_the_words_say():
    assert checkpoint.GENERATIONS == 2


def test_a_warm_start_does_not_take_another_run_for_its_own(tmp_path):
    make("one chain", random_state=1).fit(COUNTS, checkpoint=tmp_path)
    lda = make("one chain", n_sweeps=20, random_state=1, warm_start=True).fit(COUNTS)
    lda.set_params(n_sweeps=60).fit(COUNTS, checkpoint=tmp_path)  # the same chains, further on
    assert lda.n_sweeps_ == 60
    lda = make("one chain", random_state=None, n_sweeps=20, warm_start=True).fit(COUNTS)
    make("one chain", random_state=None).fit(COUNTS, checkpoint=tmp_path / "other")
    with pytest.raises(InputError, match="holds a different run from the previous fit"):
        lda.set_params(n_sweeps=60).fit(COUNTS, checkpoint=tmp_path / "other")
    assert lda.n_sweeps_ == 20
