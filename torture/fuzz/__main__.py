"""Feed every reader with broken files: ``python -m torture.fuzz [--quick] [--inputs N] …``.

A run goes on where the one before ended: the counts of every reader are kept in --out. It ends with
1 if anything but a refusal came out; deaths of the C libraries that read HDF5 and Parquet are told.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from torture.fuzz.plain import IN_MEMORY, feed_plainly
from torture.fuzz.readers import Reader, all_readers
from torture.fuzz.tally import Tally

GUIDED_SHARE = 0.1
"""Coverage is found by few inputs, and they are slower; the many look for what it misses.

Where a C library refuses nearly everything before blocklda sees it, coverage tells little.
"""
MOST_GUIDED = 2_000
"""Later inputs reach new lines very rarely, and each costs that of several plain ones."""


def main() -> int:
    """Feed the readers that were asked for and print what came out."""
    readers = all_readers()
    options = _arguments(list(readers))
    n_inputs = options.inputs or (300 if options.quick else 20_000)
    out = options.out or Path("build/fuzz-quick" if options.quick else "build/fuzz")
    if options.quick:
        shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    print("| reader | inputs | guided | per CPU second | refused | read | peak MiB | failures |")
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    n_failures = 0
    for name in options.reader or readers:
        # A guided process first instruments what it imports, which takes longer than 300 inputs.
        n_guided = min(options.guided, int(GUIDED_SHARE * n_inputs))
        if options.quick or readers[name].library:
            n_guided = 0
        tally = _fed(readers[name], Tally.load(out, name), n_inputs, n_guided, options.seed)
        n_failures += _print_row(tally, readers[name].library)
    return 1 if n_failures else 0


def _arguments(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="torture.fuzz", description="Files from strangers.")
    parser.add_argument("--quick", action="store_true", help="300 inputs each, to see that it runs")
    parser.add_argument("--inputs", type=int, help="inputs for each reader (default: 20,000)")
    parser.add_argument(
        "--guided", type=int, default=MOST_GUIDED, metavar="N",
        help=f"the most inputs that coverage guides (default: {MOST_GUIDED:,}); 0 needs no atheris",
    )  # fmt: skip
    parser.add_argument("--reader", nargs="+", choices=names, metavar="NAME", help="only these")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="where counts and failing inputs are kept")
    return parser.parse_args()


def _fed(reader: Reader, tally: Tally, n_inputs: int, n_guided: int, seed: int) -> Tally:
    """Feed a reader up to so many inputs."""
    if tally.guided < n_guided:
        _feed_guided(tally, n_guided - tally.guided, seed + tally.guided)
    return feed_plainly(reader, tally, n_inputs - tally.guided, seed)


def _feed_guided(tally: Tally, n_inputs: int, seed: int) -> None:
    with tempfile.TemporaryDirectory(prefix="blocklda-fuzz-", dir=IN_MEMORY) as folder:
        command = [sys.executable, "-m", "torture.fuzz.guided", folder, tally.reader]
        done = subprocess.run(
            [*command, str(n_inputs), str(seed)], capture_output=True, check=False, text=True
        )
        added = Tally.load(Path(folder), tally.reader)
        if done.returncode != 0:
            if not added.guided:
                raise RuntimeError(f"the fuzzer of {tally.reader!r} failed: {done.stderr[-2000:]}")
            added.guided += 1
            content = (Path(folder) / "input").read_bytes()
            added.add_failure("the guided process ended", done.stderr[-300:], content)
        for count in ("guided", "read", "refused", "seconds"):
            setattr(tally, count, getattr(tally, count) + getattr(added, count))
        tally.peak_mib = max(tally.peak_mib, added.peak_mib)
        for key, failure in added.failures.items():
            tally.add_failure(key, failure.said, (Path(folder) / failure.file).read_bytes())
            tally.failures[key].inputs += failure.inputs - 1
        tally.save()


def _print_row(tally: Tally, library: str) -> int:
    """Print what happened to a reader; return how many kinds of failures are ours."""
    rate = tally.inputs / max(tally.seconds, 1e-9)
    died = sum(one.inputs for key, one in tally.failures.items() if key.startswith("SIG"))
    ours = {key: one for key, one in tally.failures.items() if not (library and key[:3] == "SIG")}
    said = f"{library} died {died} times" if library else ""
    told = "; ".join([said] * bool(died and library) + [*ours]) or "none"
    print(
        f"| {tally.reader} | {tally.inputs:,} | {tally.guided:,} | {rate:,.0f} | "
        f"{tally.refused:,} | {tally.read:,} | {tally.peak_mib} | {told} |",
        flush=True,
    )
    for key, one in ours.items():
        print(
            f"{tally.reader}: {key}, {one.inputs} times: {one.said} ({one.file})", file=sys.stderr
        )
    return len(ours)


if __name__ == "__main__":
    sys.exit(main())
