"""Run the tests and name those that are slow or flaky: ``python -m tools.test_report [pytest …]``.

Tests that fail are run again, each alone, several times: one that passes then is flaky. The report
is in build/test-report.md; the program ends with 1 if a test failed every time.
"""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Result", "main", "read_results", "report"]

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build"
N_SLOWEST = 40
SLOW_SECONDS = 8.0
"""From here on a test should have the marker "long", so that it is begun first."""
RERUNS = 3


@dataclass(frozen=True)
class Result:
    """One test: where it is, how long it took, and whether it failed."""

    node: str
    seconds: float
    has_failed: bool


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments, or all tests in three processes, and write the report."""
    OUT.mkdir(exist_ok=True)
    results_file = OUT / "test-results.xml"
    chosen = arguments or ["-n", "3", "--dist", "loadgroup"]
    how = ["-o", "junit_family=xunit1", f"--junitxml={results_file}"]
    done = subprocess.run([sys.executable, "-m", "pytest", *how, *chosen], cwd=ROOT, check=False)
    results = read_results(results_file)
    failed = [one.node for one in results if one.has_failed]
    passed = {node: sum(_passes(node) for _ in range(RERUNS)) for node in failed}
    text = report(results, passed)
    (OUT / "test-report.md").write_text(text, encoding="utf-8")
    print(text)
    # Codes above 1 are of pytest itself: nothing was run, or it was interrupted.
    return done.returncode if done.returncode > 1 else int(0 in passed.values())


def _passes(node: str) -> bool:
    again = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", node]
    return subprocess.run(again, cwd=ROOT, capture_output=True, check=False).returncode == 0


def read_results(path: Path) -> list[Result]:
    """Return the tests of a file that pytest wrote."""
    found = []
    for case in ET.parse(path).getroot().iter("testcase"):  # noqa: S314  # our own file
        has_failed = case.find("failure") is not None or case.find("error") is not None
        parts = [case.get("file", ""), *_classes(case), case.get("name", "")]
        found.append(Result("::".join(parts), float(case.get("time", 0)), has_failed))
    return found


def _classes(case: ET.Element) -> list[str]:
    """Return the classes that a test is in, which the name of its module does not have."""
    module = Path(case.get("file", "")).with_suffix("").as_posix().replace("/", ".")
    name = case.get("classname", "")
    return name.removeprefix(module).strip(".").split(".") if name != module else []


def report(results: list[Result], passed: dict[str, int]) -> str:
    """Return a page: totals, tests that failed, and the slowest."""
    total = sum(one.seconds for one in results)
    lines = [f"# {len(results):,} tests, {total:,.0f} s of tests", ""]
    for title, wanted in (("Failed every time", False), ("Flaky", True)):
        nodes = [node for node, n in passed.items() if bool(n) == wanted]
        lines += [f"## {title}: {len(nodes)}", ""]
        lines += [f"- `{node}`: passed {passed[node]} of {RERUNS} times alone" for node in nodes]
        lines += [""] if nodes else []
    slowest = sorted(results, key=lambda one: -one.seconds)[:N_SLOWEST]
    n_slow = sum(one.seconds > SLOW_SECONDS for one in results)
    lines += [f"## Slowest ({n_slow} above {SLOW_SECONDS:.0f} s)", "", "| seconds | test |"]
    lines += ["|---:|---|", *(f"| {one.seconds:.1f} | `{one.node}` |" for one in slowest)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
