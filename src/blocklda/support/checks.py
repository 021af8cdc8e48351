"""Checks of single parameters that several interfaces share."""

from __future__ import annotations

import os
from numbers import Number
from typing import Any

import numpy as np

from blocklda.support.arrays import Floats
from blocklda.support.errors import not_allowed

__all__ = [
    "n_workers",
    "random_generator",
    "real_numbers",
    "seed_sequence",
    "true_or_false",
    "whole_number",
]


def true_or_false(name: str, value: Any) -> bool:
    """Return ``value`` as a bool if it is one, Python's or NumPy's."""
    if not isinstance(value, bool | np.bool_):
        raise not_allowed(name, value, "True or False", choices=(True, False))
    return bool(value)


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return ``value`` as an int if it is a whole number in the range, else say what is."""
    if _is_whole(value) and value >= least and (most is None or value <= most):
        return int(value)
    limit = f"from {least} up" if most is None else f"from {least} to {most:,}"
    raise not_allowed(name, value, f"a whole number {limit}")


def real_numbers(value: Any) -> Floats | None:
    """Return one number or an array of them as doubles; None for anything else.

    NumPy would also convert "0.1" and True, which are mistakes here.
    """
    try:
        given = np.asarray(value)
        if given.dtype.kind == "O" and not all(map(_is_number, given.flat)):
            return None
        return given.astype(np.float64) if given.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):
        return None


def n_workers(n_jobs: Any) -> int:
    """Return the number of threads that ``n_jobs`` asks for, as scikit-learn counts them.

    None is one; −1 is as many as there are processors for this process, −2 one fewer, and so on.
    """
    if n_jobs is None:
        return 1
    if not _is_whole(n_jobs) or n_jobs == 0:
        raise not_allowed(
            "n_jobs",
            n_jobs,
            "a whole number from 1 up, −1 for all processors, or None for one",
        )
    if n_jobs > 0:
        return int(n_jobs)
    # What the process may use is less than what the machine has in many containers.
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (count or 1) + 1 + int(n_jobs))


def random_generator(seed: Any) -> np.random.Generator:
    """Return NumPy's generator for any seed that :func:`seed_sequence` takes.

    PCG64 is named, so that the same seed gives the same draws whatever NumPy's default becomes.
    """
    return np.random.Generator(np.random.PCG64(seed_sequence("seed", seed)))


def seed_sequence(name: str, seed: Any) -> np.random.SeedSequence:
    """Return the SeedSequence of a seed, a generator or None, from which streams can be spawned.

    A whole number always gives the same one, None a fresh one. A Generator or RandomState is asked
    for numbers, so that it gives another one the next time.
    """
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if seed is None:
        return np.random.SeedSequence()
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(_words(seed.integers(0, 2**32, size=4)))
    if isinstance(seed, np.random.RandomState):
        return np.random.SeedSequence(_words(seed.randint(0, 2**32, size=4, dtype=np.int64)))
    if not _is_whole(seed) or seed < 0:
        raise not_allowed(
            name,
            seed,
            "a whole number from 0 up, None for fresh entropy, or NumPy's SeedSequence, Generator "
            "or RandomState",
        )
    return np.random.SeedSequence(int(seed))


def _words(numbers: Any) -> list[int]:
    return [int(number) for number in numbers]


def _is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
