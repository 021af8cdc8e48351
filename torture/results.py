"""What the torture found: plain rows, a table of them, and the same as JSON."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import blocklda
from benchmarks.harness import table

OUT = Path("build/torture")


@dataclass
class Row:
    """One kind of trouble: how often it was made, what came of it, and promises it broke."""

    part: str
    case: str
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def count(self, what: str, n: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + n

    def expect(self, holds: bool, otherwise: str) -> None:
        """Write down a promise that was not kept."""
        if not holds:
            self.failures.append(otherwise)


def results_table(rows: Sequence[Row]) -> str:
    cells = [
        [
            row.case,
            ", ".join(f"{n} {what}" for what, n in row.counts.items()),
            str(len(row.failures)),
        ]
        for row in rows
    ]
    return table(["what was done", "what came of it", "promises broken"], cells)


def total(rows: Sequence[Row]) -> dict[str, int]:
    """Return the sums of all counts."""
    names = dict.fromkeys(name for row in rows for name in row.counts)
    return {name: sum(row.counts.get(name, 0) for row in rows) for name in names}


def results_path(out: Path, name: str, quick: bool) -> Path:
    """Return where the rows of a part are; a quick run leaves those of a long one alone."""
    return out / f"{name}{'-quick' if quick else ''}.json"


def write_results(path: Path, rows: Sequence[Row], seconds: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {
        "blocklda": blocklda.__version__,
        "python": platform.python_version(),
        "seconds": round(seconds, 1),
        "rows": [asdict(row) for row in rows],
    }
    path.write_text(json.dumps(facts, indent=1) + "\n")


def read_results(path: Path) -> dict[str, Row]:
    """Return the rows of an earlier run by their cases, none if there was no run."""
    if not path.exists():
        return {}
    rows = (Row(**row) for row in json.loads(path.read_text())["rows"])
    return {row.case: row for row in rows}


def run_alone(
    name: str,
    description: str | None,
    main: Callable[..., list[Row]],
    counted: str = "",
    parts: tuple[str, Sequence[str]] = ("", ()),
) -> None:
    """Be the program of one part: parse its options, show its rows, fail if a promise broke.

    ``counted`` is the name of an option that says how many there are to be, ``parts`` that of one
    that takes some of these names alone.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a few of each, to see that it runs")
    parser.add_argument("--seed", type=int, default=0, help="other moments, other bits (default 0)")
    parser.add_argument("--out", type=Path, default=OUT, help=f"folder of results (default {OUT})")
    if counted:
        parser.add_argument(f"--{counted}", type=int, dest="size", help=f"how many {counted}")
    part, names = parts
    if part:
        said = f"these alone, of: {', '.join(map(repr, names))}"
        parser.add_argument(f"--{part}", nargs="+", choices=names, metavar="NAME", help=said)
    options = parser.parse_args()
    start = time.perf_counter()
    more: dict[str, Any] = {"size": options.size} if counted else {}
    if part and getattr(options, part):
        more[part] = getattr(options, part)
    rows = main(options.quick, seed=options.seed, out=options.out, **more)
    seconds = time.perf_counter() - start
    write_results(results_path(options.out, name, options.quick), rows, seconds)
    print(results_table(rows))
    for row in rows:
        for failure in row.failures:
            print(f"BROKEN: {row.case}: {failure}")
    sums = ", ".join(f"{n} {what}" for what, n in total(rows).items())
    print(f"\n{name}: {sums}; {seconds:.0f} s")
    sys.exit(1 if any(row.failures for row in rows) else 0)
