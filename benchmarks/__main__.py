"""Every benchmark at toy size, in one process that imports once: to see that they run."""

from __future__ import annotations

import importlib
import os
import sys

# The formatter would give each name a line.
# fmt: off
NAMES = (
    "peers", "sweeps", "certified", "auto", "convolution", "infer", "starts", "start_fits", "moves",
    "move_fits", "mixture", "nonparametric", "priors", "seed_words", "choose_k", "stability",
    "settling", "text", "report", "scale", "shards", "threads", "approximate", "around_sampling",
    "start_up", "short_documents", "blocks_on_bars", "left_out_documents", "exact_documents",
    "chains", "advice",
)
# fmt: on
ARGUMENTS = {"peers": ["--out", "build/bench-peers-quick"]}


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those it waited for."""
    return sum(os.times()[:4])


def main() -> None:
    for name in sys.argv[1:] or NAMES:
        print(f"\n# {name}\n", flush=True)
        start = cpu_seconds()
        sys.argv = [name, "--quick", *ARGUMENTS.get(name, [])]
        importlib.import_module(f"benchmarks.{name}").main()
        print(f"\n{name}: {cpu_seconds() - start:.1f} s of CPU time", flush=True)


if __name__ == "__main__":
    main()
