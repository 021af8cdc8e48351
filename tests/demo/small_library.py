"""A few packages of the standard library, for tests that need real texts but not all of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from blocklda.demo import stdlib_texts

PACKAGES = ("asyncio", "email", "importlib", "logging", "unittest", "xml")
LIBRARY = stdlib_texts.library_folder()


def use_small_library(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Make the standard library these packages, without modules in C and language reference."""
    folder.mkdir()
    for name in PACKAGES:
        (folder / name).symlink_to(LIBRARY / name)
    patch.setattr(stdlib_texts, "library_folder", lambda: folder)
    patch.setattr(stdlib_texts, "WRITTEN_IN_C", ())
    patch.setattr(stdlib_texts, "FEWEST_DOCUMENTS", 1)
    patch.setitem(sys.modules, "pydoc_data.topics", None)
