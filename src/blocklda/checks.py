"""Checks of single parameters that several doors share."""

from __future__ import annotations

from typing import Any

import numpy as np

from blocklda.errors import InputError

__all__ = ["random_generator", "whole_number"]


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return ``value`` as an int if it is a whole number in the range, else say what is."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if whole and value >= least and (most is None or value <= most):
        return int(value)
    limit = f"from {least} up" if most is None else f"from {least} to {most:,}"
    raise InputError(f"{name}={value!r} is not allowed: give a whole number {limit}.")


def random_generator(seed: Any) -> np.random.Generator:
    """Return NumPy's generator for a seed: a whole number, a SeedSequence, or None for entropy.

    PCG64 is named, so that the same seed gives the same draws whatever NumPy's default becomes.
    """
    if seed is not None and not isinstance(seed, np.random.SeedSequence):
        seed = whole_number("seed", seed, 0)
    return np.random.Generator(np.random.PCG64(seed))
