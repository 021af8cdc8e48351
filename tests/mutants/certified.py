"""Bounds on rounding errors that are too small to certify anything; see `mutants`."""

from __future__ import annotations

BOUND_MUTANTS: dict[str, float] = {"bound 16 times too small": 1 / 16}
"""What is left of the bound, by the mistake."""
