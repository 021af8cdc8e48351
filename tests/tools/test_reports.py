"""Reports of tests, of lines that they run, and of the jobs of a night."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from tools import test_report as test_reports
from tools.coverage import SETTINGS, folder_rows, native_lines, python_lines, run_coverage
from tools.nightly import AT_ONCE, JOBS, Job, run_jobs
from tools.test_report import Result
from torture.__main__ import PARTS

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


IN_ANOTHER_PROCESS = """
import subprocess, sys

subprocess.run([sys.executable, "-c", "import blocklda; blocklda.double(2)"], check=True)
"""


def test_lines_that_another_process_runs_count(tmp_path):
    """The workers in which tests run, and the command line."""
    package, program = tmp_path / "src" / "blocklda", tmp_path / "program.py"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def double(x):\n    return 2 * x\n")
    program.write_text(IN_ANOTHER_PROCESS)
    settings = tmp_path / "settings.ini"
    settings.write_text(SETTINGS.format(out=tmp_path, root=tmp_path))
    (tmp_path / "data").mkdir()
    # These tests may themselves be run with coverage.py.
    environment = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    environment["PYTHONPATH"] = str(tmp_path / "src")
    assert run_coverage(settings, ["run", str(program)], environment) == 0
    assert python_lines(tmp_path, settings, environment) == {"blocklda/__init__.py": (2, 2)}


HALVES = """
template <class T> T halved(T x) {
    if (x > 2)
        return x / 2;
    return x;
}
int main() { return halved(1) + static_cast<int>(halved(4.0)) - 3; }
"""


def test_gcovr_counts_a_line_of_a_template_once(tmp_path):
    """Each instance runs another line."""
    (tmp_path / "native").mkdir()
    (tmp_path / "out" / "build").mkdir(parents=True)
    source, program = tmp_path / "native" / "halves.cpp", tmp_path / "out" / "build" / "halves"
    source.write_text(HALVES)
    subprocess.run(["g++", "--coverage", str(source), "-o", str(program)], check=True)
    subprocess.run([program], check=True)
    assert native_lines(tmp_path, tmp_path / "out") == {"native/halves.cpp": (5, 5)}
    assert (tmp_path / "out" / "native" / "index.html").exists()


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


def test_a_job_out_of_time_leaves_none_of_its_processes_at_work(tmp_path):
    rules = tmp_path / "makefile"
    rules.write_text(f"all:\n\tsleep 99 & echo $$! > {tmp_path}/pid; wait\n")
    assert run_jobs((Job("parent", ("make", "-f", str(rules)), 0.03),), tmp_path, seed=7) == 1
    other = Path("/proc", (tmp_path / "pid").read_text().strip(), "stat")
    deadline = time.monotonic() + 20
    # A zombie is dead, though nobody has asked how it ended.
    while other.exists() and other.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline, "it is still at work"
        time.sleep(0.05)


def test_a_night_has_about_an_hour():
    """Even if every job takes all the time that it may have."""
    ends = [0.0] * AT_ONCE
    for job in JOBS:
        ends[ends.index(min(ends))] += job.minutes
    assert max(ends) <= 70


def test_the_parts_of_torture_are_jobs():
    assert set(PARTS) <= {job.name for job in JOBS}
