"""Reports of tests, of lines that they run, and of the jobs of a night."""

from __future__ import annotations

from tools import test_report as test_reports
from tools.coverage import folder_rows
from tools.nightly import JOBS, Job, run_jobs
from tools.test_report import Result

TESTS = """
from pathlib import Path

def test_fine():
    pass

class TestOnce:
    def test_flaky(self):
        noted = Path(__file__).with_name("noted")
        first = not noted.exists()
        noted.touch()
        assert not first

def test_wrong():
    assert 1 == 2
"""


def test_failures_are_told_from_flaky_tests(tmp_path, monkeypatch, capsys):
    (tmp_path / "test_three.py").write_text(TESTS)
    monkeypatch.setattr(test_reports, "ROOT", tmp_path)
    monkeypatch.setattr(test_reports, "OUT", tmp_path / "build")
    monkeypatch.setattr(test_reports, "RERUNS", 1)
    assert test_reports.main(["-p", "no:cacheprovider", "-q", "test_three.py"]) == 1
    page = (tmp_path / "build" / "test-report.md").read_text()
    failed, flaky = page.partition("## Failed every time")[2].split("## Flaky")
    assert "`test_three.py::test_wrong`: passed 0 of 1 times" in failed
    assert "`test_three.py::TestOnce::test_flaky`: passed 1 of 1 times" in flaky
    assert "# 3 tests" in page


def test_the_slowest_come_first():
    results = [Result("a", 0.5, False), Result("b", 20.0, False)]
    page = test_reports.report(results, {})
    assert "Slowest (1 above 8 s)" in page
    assert page.index("`b`") < page.index("`a`")


def test_lines_are_added_up_by_folder():
    lines = {"native/hdp/a.cpp": (3, 4), "native/hdp/b.cpp": (1, 4), "blocklda/x.py": (5, 5)}
    assert folder_rows(lines) == [("blocklda", 5, 5), ("native/hdp", 4, 8)]


def test_jobs_of_a_night_do_not_end_with_the_first_that_fails(tmp_path):
    jobs = (
        Job("wrong", ("no.such.module",), 1),
        Job("fine", ("compileall", "-q", str(tmp_path / "{seed}")), 1),
        Job("long", ("http.server", "0"), 0.005),
    )
    (tmp_path / "7").mkdir()
    assert run_jobs(jobs, tmp_path, seed=7) == 1
    page = (tmp_path / "report.md").read_text()
    assert "| wrong | failed (1) |" in page
    assert "| fine | passed |" in page
    assert "| long | took more than 0.005 minutes |" in page


def test_the_parts_of_torture_are_jobs():
    assert {"kills", "fuzz", "exactness", "border", "pages"} <= {job.name for job in JOBS}
