"""What a fit can be used for: is it finished, which topics to report, do chains agree."""

from __future__ import annotations

from blocklda.diagnostics.report import Diagnostics, diagnose

__all__ = ["Diagnostics", "diagnose"]
