"""Real processes, killed and disturbed: a few of what `python -m torture` does at length."""

from __future__ import annotations

import pytest

import blocklda
from torture import faults, kills
from torture.fits import FITS


@pytest.mark.long
def test_killed_runs_end_as_runs_never_killed(tmp_path):
    rows = kills.main(quick=True, out=tmp_path)
    assert [failure for row in rows for failure in row.failures] == []
    assert {row.case for row in rows} == {"backward, library", "sparse, command line"}
    assert sum(row.counts["kills"] for row in rows) >= 5
    assert all(row.counts["runs that ended as if never killed"] >= 1 for row in rows)
    assert list((tmp_path / "kills").glob("*")) == [], "nothing is left but the results"


@pytest.mark.long
def test_disturbed_runs_lose_nothing_but_time(tmp_path):
    rows = faults.main(quick=True, out=tmp_path)
    assert [f"{row.case}: {failure}" for row in rows for failure in row.failures] == []
    assert all(row.counts for row in rows)


def test_every_sampler_is_killed():
    assert set(FITS) == {*blocklda.SAMPLERS, "auto"}
