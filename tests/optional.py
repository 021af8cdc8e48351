"""Packages of extras: where CI runs they must be there."""

from __future__ import annotations

import os
from typing import Any

import pytest


def need(module: str) -> Any:
    """Return a module, or skip the test that needs it; where CI runs it must be there."""
    return __import__(module) if os.environ.get("CI") else pytest.importorskip(module)
