"""What a fit was started with, as plain values that can be written down and compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    if isinstance(value, AbstractSet):
        # In an order of their own: a set of words has another one in every process.
        return sorted((_describe(one) for one in value), key=str)
    return _describe_numbers(value)


def _describe_numbers(value: Any) -> Any:
    array = _as_array(value)
    if array.dtype.kind not in "biuf":
        is_list = isinstance(value, Sequence) or array.ndim > 0
        return [_describe(one) for one in value] if is_list else type(value).__name__
    if array.size <= MAX_NUMBERS:
        return array.tolist()
    digest = hashlib.sha256(np.ascontiguousarray(array, dtype="<f8").tobytes()).hexdigest()
    return f"array of shape {array.shape}, SHA-256 {digest}"


def _as_array(value: Any) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:  # rows of different lengths
        return np.array(None)


def _text(description: Any) -> str:
    text = json.dumps(description)
    return text if len(text) <= 80 else text[:77] + "..."
