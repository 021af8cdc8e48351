"""Topics in a few numbers."""

from __future__ import annotations
