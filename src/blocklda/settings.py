"""What a fit was started with, as plain values that can be written down and compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["described", "first_difference"]

MAX_NUMBERS = 50
"""Larger arrays are described by their digest."""


def described(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON has them: equal descriptions for equal parameters.

    A generator of random numbers cannot be compared with a later state of itself, so it is
    described by its kind alone.
    """
    return {name: _describe(value) for name, value in parameters.items()}


def first_difference(
    before: Mapping[str, Any], now: Mapping[str, Any]
) -> tuple[str, str, str] | None:
    """Return the first parameter that differs, with both its values as text, or None."""
    for name in {**now, **before}:
        one, other = before.get(name), now.get(name)
        if one != other:
            return name, _text(one), _text(other)
    return None


def _describe(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.random.SeedSequence):
        return f"SeedSequence({value.entropy}, spawn_key={value.spawn_key})"
    if isinstance(value, np.random.Generator | np.random.RandomState) or callable(value):
        return type(value).__name__
    if isinstance(value, Mapping):
        return {str(key): _describe(one) for key, one in value.items()}
    return _describe_numbers(value)


def _describe_numbers(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        return [_describe(one) for one in value]
    if array.size <= MAX_NUMBERS:
        return array.tolist()
    digest = hashlib.sha256(np.ascontiguousarray(array, dtype="<f8").tobytes()).hexdigest()
    return f"array of shape {array.shape}, SHA-256 {digest}"


def _text(description: Any) -> str:
    text = json.dumps(description)
    return text if len(text) <= 80 else text[:77] + "..."
