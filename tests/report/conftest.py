"""The models are shared with the tests in a browser."""

from __future__ import annotations

from tests.report.page_models import hostile, two_chains

__all__ = ["hostile", "two_chains"]
