"""What all tests in this folder have."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def _small_cells(cells_of_one_token):
    """Let the samplers on a grid have several cells here, where corpora are tiny."""
