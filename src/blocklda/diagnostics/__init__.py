"""What can be said about convergence: whether chains agree, and which topics come back."""

from __future__ import annotations

from blocklda.diagnostics.report import Diagnostics, diagnose

__all__ = ["Diagnostics", "diagnose"]
