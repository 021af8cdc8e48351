"""Which lines of Python and of C++ the tests run: ``make coverage``.

The native module is built with counters, and the tests run with it and with coverage.py. The
results are in build/coverage: report.md with a table of folders, python/ and native/ with every
line; build/test-report.md names slow and flaky tests. Arguments are those of pytest, for example
``tests/native``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from tools.native_build import ROOT, build_package

__all__ = ["folder_rows", "main", "native_lines", "python_lines", "run_coverage"]

OUT = ROOT / "build" / "coverage"
SETTINGS = """[run]
source_pkgs = blocklda
parallel = true
concurrency = thread, multiprocessing
patch = subprocess
disable_warnings = module-not-imported, no-data-collected
data_file = {out}/data/python
[paths]
source =
    {root}/src/blocklda
    */coverage/package/blocklda
[report]
exclude_also =
    if TYPE_CHECKING:
    \\.\\.\\.$
    raise NotImplementedError
"""

Lines = dict[str, tuple[int, int]]
"""Lines that were run and all lines, by file."""


def main(arguments: list[str]) -> int:
    """Build, test and report; fail if a test failed every time."""
    package = build_package("BLOCKLDA_COVERAGE", OUT)
    for old in (OUT / "build").rglob("*.gcda"):
        old.unlink()
    (OUT / "data").mkdir(exist_ok=True)
    settings = OUT / "settings.ini"
    settings.write_text(SETTINGS.format(out=OUT, root=ROOT), encoding="utf-8")
    path = os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    tests = ["-m", "tools.test_report", "-q", "-p", "no:cacheprovider", *arguments]
    run_coverage(settings, ["erase"], environment)
    done = run_coverage(settings, ["run", *tests], environment)
    text = _page(python_lines(OUT, settings, environment), native_lines(ROOT, OUT))
    (OUT / "report.md").write_text(text, encoding="utf-8")
    print(text)
    return done


def run_coverage(settings: Path, action: list[str], environment: dict[str, str]) -> int:
    """Run coverage.py with these settings; return how it ended."""
    name, *rest = action
    command = [sys.executable, "-m", "coverage", name, f"--rcfile={settings}", *rest]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def python_lines(out: Path, settings: Path, environment: dict[str, str]) -> Lines:
    """Ask coverage.py for the lines that were run in all processes."""
    summary = out / "python.json"
    for action in (["combine", "-q"], ["html", "-q", "-d", str(out / "python")]):
        run_coverage(settings, action, environment)
    run_coverage(settings, ["json", "-q", "-o", str(summary)], environment)
    files = json.loads(summary.read_bytes())["files"]
    return {
        _under(name, "blocklda"): (
            one["summary"]["covered_lines"],
            one["summary"]["num_statements"],
        )
        for name, one in files.items()
    }


def _under(name: str, folder: str) -> str:
    """Return a path from a folder on, wherever that is."""
    parts = Path(name).parts
    return "/".join(parts[len(parts) - 1 - parts[::-1].index(folder) :])


def native_lines(root: Path, out: Path) -> Lines:
    """Ask gcovr for the lines of root/native by the counters in out/build.

    A line of a template counts once, and was run if one of its instances was.
    """
    (out / "native").mkdir(exist_ok=True)
    summary = out / "native.json"
    command = [
        *(sys.executable, "-m", "gcovr", "--root", str(root), "--filter", f"{root}/native/"),
        *("--json-summary", str(summary), "--html-details", str(out / "native" / "index.html")),
        *("--gcov-ignore-parse-errors=all", "--merge-mode-functions=separate", "--merge-lines"),
        str(out / "build"),
    ]
    subprocess.run(command, cwd=root, check=True)
    files: list[dict[str, Any]] = json.loads(summary.read_bytes())["files"]
    return {one["filename"]: (one["line_covered"], one["line_total"]) for one in files}


def folder_rows(lines: Lines) -> list[tuple[str, int, int]]:
    """Return folders, two levels deep, with the lines that were run and all lines."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, (run, of_all) in lines.items():
        folder = "/".join(Path(name).parent.parts[:2]) or "."
        sums[folder][0] += run
        sums[folder][1] += of_all
    return [(folder, run, of_all) for folder, (run, of_all) in sorted(sums.items())]


def _page(python: Lines, native: Lines) -> str:
    found = ["# Lines that tests run", ""]
    for title, lines in (("Python", python), ("C++", native)):
        run, of_all = (sum(one[i] for one in lines.values()) for i in (0, 1))
        found += [f"## {title}: {run / max(1, of_all):.1%} of {of_all:,} lines", ""]
        found += ["| folder | lines | run |", "|---|---:|---:|"]
        found += [
            f"| {folder} | {of_all:,} | {run / max(1, of_all):.1%} |"
            for folder, run, of_all in folder_rows(lines)
        ]
        found.append("")
    return "\n".join(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
