"""Real processes, killed and disturbed: a few of what `python -m torture` does at length."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys

import pytest

import blocklda
from torture import faults, kills
from torture.cases import DOORS
from torture.fits import FITS
from torture.power import VARIABLE, Power, compile_shim
from torture.results import results_path, write_results

linux = pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux")


@pytest.mark.long
def test_killed_runs_end_as_runs_never_killed(tmp_path):
    rows = kills.main(quick=True, out=tmp_path)
    assert [failure for row in rows for failure in row.failures] == []
    assert {row.case for row in rows} == {"backward, library", "sparse, command line"}
    assert sum(row.counts["kills"] for row in rows) >= 5
    assert all(row.counts["runs that ended as if never killed"] >= 1 for row in rows)
    assert list((tmp_path / "kills").glob("*")) == [], "nothing is left but the results"


@pytest.fixture
def done(monkeypatch):
    """What would have been killed: the case, how often, and a moment."""

    def kill_runs(case, whole, n_kills, rng, row, shim, note):
        done.append((str(case), n_kills, rng.random()))
        row.count("kills", n_kills - row.counts["kills"])
        note()

    done = []
    monkeypatch.setattr(kills, "serve_victims", lambda shim: None)
    monkeypatch.setattr(kills, "kill_runs", kill_runs)
    monkeypatch.setattr(kills.Case, "never_disturbed", lambda case: case.folder.mkdir() or {})
    return done


def test_a_run_of_kills_goes_on_from_the_counts_of_the_one_before(tmp_path, monkeypatch, done):
    monkeypatch.setattr(kills, "FITS", {"sparse": {}})
    for size in (3, 3, 4):
        rows = kills.main(quick=False, out=tmp_path, size=size)
        assert [row.counts["kills"] for row in rows] == [2, size - 2]
    names = ("sparse, library", "sparse, command line")
    assert [one[:2] for one in done] == [(names[0], 2), (names[1], 1), (names[1], 2)]
    assert len({moment for *_, moment in done}) == 3


def test_fits_are_killed_in_parts_that_add_up(tmp_path, done):
    whole = 2 * len(FITS)
    for part in (["sparse"], ["hdp", "mixture"]):
        rows = kills.main(quick=False, out=tmp_path, size=whole, fits=part)
        write_results(results_path(tmp_path, "kills", quick=False), rows, 0.0)
    assert [case for case, *_ in done] == [
        f"{fit}, {door}" for fit in ("sparse", "hdp", "mixture") for door in DOORS
    ]
    assert sum(row.counts["kills"] for row in rows) == 6


@pytest.mark.long
def test_disturbed_runs_lose_nothing_but_time(tmp_path):
    rows = faults.main(quick=True, out=tmp_path)
    assert [f"{row.case}: {failure}" for row in rows for failure in row.failures] == []
    assert all(row.counts for row in rows)


def test_every_sampler_model_and_move_is_killed():
    assert {*blocklda.SAMPLERS, "auto", *blocklda.MOVES, "hdp", "mixture"} <= set(FITS)


@pytest.fixture
def power(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    return Power(compile_shim(tmp_path), tmp_path / "durable", [folder]), folder


def written_under_the_shim(power: Power, code: str) -> None:
    subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "LD_PRELOAD": str(power.durable.with_name("power.so")),
            VARIABLE: str(power.durable),
        },
        check=True,
    )


@linux
def test_a_power_cut_loses_what_was_not_synced(power):
    """The classic mistakes lose data here, and the order that we keep loses nothing."""
    cut, folder = power
    (folder / "old").write_text("old")
    cut.settle()
    written_under_the_shim(
        cut,
        "import os\n"
        "from pathlib import Path\n"
        "from blocklda.files.atomic_write import replace_file\n"
        f"folder = Path({str(folder)!r})\n"
        "with replace_file(folder / 'ours') as file:\n"
        "    file.write(b'whole')\n"
        "(folder / 'not synced').write_text('lost')\n"
        "(folder / 'part').write_text('lost')\n"
        "(folder / 'part').replace(folder / 'old')\n",
    )
    assert cut.cut(random.Random(1), luck=0.0) == 2
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "ours": "whole",
        "old": "old",
    }


@linux
def test_an_entry_that_survives_may_be_empty(power):
    """A rename that outlives the content: why files are synced before it."""
    cut, folder = power
    written_under_the_shim(
        cut, f"from pathlib import Path; Path({str(folder / 'x')!r}).write_text('unsynced')"
    )
    cut_contents = set()
    for seed in range(30):
        (folder / "x").write_text("unsynced")
        shutil.rmtree(cut.durable, ignore_errors=True)
        cut.durable.mkdir()
        cut.cut(random.Random(seed), luck=1.0)
        cut_contents.add((folder / "x").read_text())
    assert {"", "unsynced"} < cut_contents
