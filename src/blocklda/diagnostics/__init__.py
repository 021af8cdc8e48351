"""What a fit can be used for: whether it is finished, which topics to report, whether chains agree."""

from __future__ import annotations

from blocklda.diagnostics.report import Diagnostics, diagnose

__all__ = ["Diagnostics", "diagnose"]
