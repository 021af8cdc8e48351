"""`python -m torture`: all parts, two at a time; fails if a promise was broken."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from torture.results import OUT

PARTS = ("kills", "exactness", "fuzz", "border", "pages", "extremes", "faults", "workers")
"""The longest first, so that two at a time end together."""

SIZES = {
    "kills": ("--kills", "1000"),
    "exactness": ("--tests", "10000"),
    "fuzz": ("--inputs", "2000"),
    "border": ("--calls", "100000"),
    "pages": ("--pages", "300"),
}
"""How much each part does; with larger numbers they go on where they ended."""

AT_ONCE = 2


def main() -> int:
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few of each, to see that it runs")
    parser.add_argument("--out", type=Path, default=OUT, help=f"folder of results (default {OUT})")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        codes = list(pool.map(lambda part: _run(part, options.quick, options.out), PARTS))
    broken = [part for part, code in zip(PARTS, codes, strict=True) if code]
    print(f"{len(PARTS)} parts in {time.perf_counter() - start:.0f} s; ", end="")
    print(f"promises broken in: {', '.join(broken)}" if broken else "no promise was broken")
    return 1 if broken else 0


def _run(part: str, quick: bool, out: Path) -> int:
    """Run a part in a process of its own, and show what it said when it ends."""
    command = [sys.executable, "-m", f"torture.{part}"]
    if quick:
        command.append("--quick")
    elif part in SIZES:
        folder = out / "fuzz" if part == "fuzz" else out
        command += [*SIZES[part], "--out", str(folder)]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = f"# {part}: {time.perf_counter() - start:.0f} s\n\n{done.stdout}{done.stderr}"
    (out / f"{part}.md").write_text(said)
    print(said, flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
