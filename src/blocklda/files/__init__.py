"""Files: archives without pickle, checkpoints, models."""

from __future__ import annotations
