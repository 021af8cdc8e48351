"""Where chains begin."""

from __future__ import annotations
