"""``python -m torture.border [--quick] [--calls N]``: the native border under the sanitizers.

The module is built with the sanitizers of addresses and of undefined behaviour, and its functions
are called with arguments that were changed at random. Each call must be refused with an exception
or end with what it should leave. A run goes on where the one before ended.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tools.native_build import ROOT, build_package
from torture.results import OUT

N_CALLS, QUICK_CALLS = 1_000_000, 2_000
AT_ONCE = 20_000


def main() -> int:
    """Make up to so many calls and print what came of them."""
    options = _arguments()
    n_calls = options.calls or (QUICK_CALLS if options.quick else N_CALLS)
    path = options.out / "border.json"
    done = json.loads(path.read_text()) if path.exists() and not options.quick else {}
    environment = dict(os.environ)
    if not options.plain:
        package = build_package("BLOCKLDA_SANITIZE", (ROOT / "build/border").resolve())
        (module,) = (package / "blocklda").glob("_native*.so")
        if b"__asan_report" not in module.read_bytes():
            raise RuntimeError(f"{module} was built without sanitizers: remove its folder")
        environment |= _sanitized(package)
    counts = done.get("counts", {})
    failures = done.get("failures", [])
    first, seconds = done.get("calls", 0), done.get("seconds", 0.0)
    options.out.mkdir(parents=True, exist_ok=True)
    while first < n_calls and len(failures) < 20:
        start = time.monotonic()
        found, first = _part(first, min(n_calls, first + AT_ONCE), environment, options.out)
        seconds += time.monotonic() - start
        failures += found.pop("failures")
        for what, n in found.items():
            counts[what] = counts.get(what, 0) + n
        facts = {"calls": first, "seconds": seconds, "counts": counts, "failures": failures}
        if not options.quick:
            path.write_text(json.dumps(facts, indent=1))
    said = ", ".join(f"{n:,} {what}" for what, n in counts.items())
    build = "as it is" if options.plain else "under the sanitizers"
    print(f"border, {build}: {first:,} calls: {said}; {seconds:.0f} s")
    for failure in failures:
        print(f"BROKEN: {failure}")
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="torture.border", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few calls, to see that it runs")
    parser.add_argument("--plain", action="store_true", help="the module as it is installed")
    parser.add_argument("--calls", type=int, help=f"calls in all (default: {N_CALLS:,})")
    parser.add_argument("--out", type=Path, default=OUT, help=f"folder of results (default {OUT})")
    return parser.parse_args()


def _sanitized(package: Path) -> dict[str, str]:
    """Return the environment in which a Python without sanitizers loads a module with them."""
    libraries = [
        subprocess.run(
            ["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")
    ]
    path = os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {
        "PYTHONPATH": path,
        "LD_PRELOAD": " ".join(libraries),
        # Python itself leaves memory to the end of the process, and asks for more than there is.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:exitcode=99",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",  # or arrays would lie in one piece of memory, without fences
    }


def _part(
    first: int, last: int, environment: dict[str, str], out: Path
) -> tuple[dict[str, object], int]:
    """Make some calls in a process; return counts and failures, and the number of the next call."""
    note = (out / "border-call").resolve()
    note.write_bytes(first.to_bytes(8, "little"))
    done = subprocess.run(
        [sys.executable, "-m", "torture.border.calls", str(first), str(last), str(note)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode == 0:
        answer = json.loads(done.stdout)
        wrong = [f"call {number}: {_described(number)}" for number in answer["wrong"]]
        return {**answer["counts"], "failures": wrong}, last
    number = int.from_bytes(note.read_bytes(), "little")
    if number == first and "torture.border.calls" not in done.stderr and "ERROR" not in done.stderr:
        raise RuntimeError(f"the calls did not begin: {done.stderr[-2000:]}")
    lines = [
        line for line in done.stderr.splitlines() if "ERROR" in line or "runtime error" in line
    ]
    said = lines[0] if lines else f"ended with {done.returncode}: {done.stderr[-300:]}"
    failures = [f"call {number}: {_described(number)}: {said}"]
    return {"ended the process": 1, "failures": failures}, number + 1


def _described(number: int) -> str:
    """Return a call in words, from a process that makes none."""
    code = f"from torture.border.calls import describe; print(describe({number}))"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
