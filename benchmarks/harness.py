"""What the benchmarks share: the corpora, a fair clock, and Markdown tables."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import blocklda
from blocklda import _native, simulate

DATA = Path(os.environ.get("BLOCKLDA_DATA", Path(__file__).parents[2] / "shared" / "data"))


def arguments(description: str | None) -> argparse.Namespace:
    """Parse the options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--repeat", type=int, default=7, help="timed rounds (default: 7)")
    return parser.parse_args()


def corpora(quick: bool) -> dict[str, blocklda.Corpus]:
    """Return KOS and NIPS, or in quick runs a small simulated corpus."""
    if quick:
        return {"bars": simulate.bars(n_docs=50, seed=1).corpus}
    return {
        name: blocklda.read_corpus(DATA / f"docword.{name.lower()}.txt.gz")
        for name in ("KOS", "NIPS")
    }


def alternate(
    contenders: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Time the contenders in turn, round after round, so that all meet the same disturbances."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return seconds


def medians(seconds: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the median of each contender's times."""
    return {name: statistics.median(times) for name, times in seconds.items()}


def median_ratio(times: Sequence[float], base: Sequence[float]) -> float:
    """Return the median over rounds of time ÷ time of the base in the same round."""
    return statistics.median(t / b for t, b in zip(times, base, strict=True))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, first column to the left."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def machine() -> str:
    """Return a line about what the figures were measured with, for the record."""
    return (
        f"{platform.machine()}, {_native.active_instruction_set()} kernels, "
        f"Python {platform.python_version()}, one thread"
    )
