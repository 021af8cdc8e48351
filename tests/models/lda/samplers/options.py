"""Which options which samplers have a use for, so that no test runs the same thing twice.

`test_options.py` shows that the other options change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

USED_BY = {
    "max_block": (
        "backward",
        "nested",
        "sparse",
        "partially-collapsed on lists",
        "grid on lists",
        "approximate-parallel",
    ),
    "convolution": ("backward", "nested"),
    "n_threads": (
        "partially-collapsed",
        "partially-collapsed on lists",
        "grid",
        "grid on lists",
        "approximate-parallel",
    ),
    "shards": (
        "partially-collapsed",
        "partially-collapsed on lists",
        "grid",
        "grid on lists",
    ),
}
"""The samplers that an option means something to."""


def uses(sampler: str, options: Iterable[str]) -> bool:
    """Whether a sampler has a use for every one of the options."""
    return all(sampler in USED_BY[option] for option in options)


def in_use(samplers: Iterable[str], options: dict[str, dict[str, object]]) -> list:
    """Return parameters (options, sampler) for the samplers that have a use for the options."""
    return [
        pytest.param(chosen, sampler, id=f"{name}-{sampler}")
        for name, chosen in options.items()
        for sampler in samplers
        if uses(sampler, chosen)
    ]
