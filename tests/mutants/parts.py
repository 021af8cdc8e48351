"""What mutants are made with: the kernels of samplers, and parts of a module put out of place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.registry import find_sampler


def native(sampler: str) -> Sweep:
    """Return the kernel's sweep of a registered sampler."""
    return find_sampler(sampler).sweep("native")


@contextmanager
def replaced(module: ModuleType, **parts: Any) -> Iterator[None]:
    """Give a module other parts. Around a sweep of microseconds, `unittest.mock` costs too much."""
    own = {name: getattr(module, name) for name in parts}
    vars(module).update(parts)
    try:
        yield
    finally:
        vars(module).update(own)
