"""Calls with changed arguments, in a process that may die: ``python -m torture.border.calls``.

It prints what came of the calls as JSON. Before each call its number is in a file, so that whoever
finds the process dead can repeat it: the same number makes the same call.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.native.good_calls import N_TOPICS, good_calls
from torture.border.changes import changed

__all__ = ["call_once", "describe"]

REFUSALS = (TypeError, ValueError, MemoryError, RuntimeError, OverflowError)
SECONDS = 20.0
"""Processor time of a call that does not end."""

GOOD = good_calls()
NAMES = sorted(GOOD)


def _chosen(number: int) -> tuple[str, dict[str, Any], list[str]]:
    """Return a function, its arguments, and which of them were changed."""
    rng = random.Random(number)
    name = rng.choice(NAMES)
    call = GOOD[name]
    arguments = {
        key: value.copy() if isinstance(value, np.ndarray) else value
        for key, value in call.arguments.items()
    }
    keys = [rng.choice(list(arguments)) for _ in range(rng.choice((1, 1, 2, 3)))]
    for key in keys:
        # Two thousand million tokens of a new document would be drawn one by one.
        bounded = key == "counts" and "words" in arguments
        with np.errstate(all="ignore"):
            arguments[key] = changed(key, arguments[key], rng, bounded=bounded)
    return name, arguments, keys


def call_once(number: int) -> str:
    """Make a call; return "refused", "done", or what is wrong with what it left."""
    name, arguments, _ = _chosen(number)
    topics = arguments.get("topics")
    try:
        with np.errstate(all="ignore"):
            GOOD[name](**arguments)
    except REFUSALS:
        return "refused"
    if not isinstance(topics, np.ndarray) or topics.dtype != np.int32 or topics.size == 0:
        return "done"
    tau, n_given = arguments.get("tau"), arguments.get("n_topics", N_TOPICS)
    n_topics = len(tau) if isinstance(tau, np.ndarray) else n_given
    is_right = topics.min() >= 0 and topics.max() < n_topics
    reads_some = name.startswith("concentrations")  # topics of a part of the words are read
    return "done" if is_right or reads_some else "left what is no topic"


def describe(number: int) -> str:
    """Return a call in words."""
    name, arguments, keys = _chosen(number)
    return f"{name}: " + ", ".join(f"{key}={arguments[key]!r:.200}" for key in keys)


def main(first: int, last: int, note: str) -> None:
    """Make the calls of a range of numbers."""
    if os.environ.get("ASAN_OPTIONS") and not hasattr(ctypes.CDLL(None), "__asan_init"):
        raise RuntimeError("the sanitizer of addresses is not loaded")
    counts: dict[str, int] = {}
    wrong: list[int] = []
    with Path(note).open("r+b") as file, mmap.mmap(file.fileno(), 8) as memory:
        for number in range(first, last):
            memory[:8] = number.to_bytes(8, "little")
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            result = call_once(number)
            counts[result] = counts.get(result, 0) + 1
            if result not in ("refused", "done"):
                wrong.append(number)
    sys.stdout.write(json.dumps({"counts": counts, "wrong": wrong[:5]}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
