"""What several tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from blocklda.models.lda.samplers import openings
from blocklda.models.lda.samplers.grid import plan as grid_plan

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest tests, so that no worker is left alone with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the KOS and NIPS corpora; where CI runs, it must be there."""
    folder = Path(os.environ.get("BLOCKLDA_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        reason = f"no folder {folder} with KOS and NIPS; set BLOCKLDA_DATA"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _no_companions() -> Iterator[None]:
    """Let a chain be of its sampler alone, so that tests of a sampler test that and no other.

    Tests of openings ask for them by number. What runs in a process of its own has the default.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openings, "COMPANION_SWEEPS", 0)
        yield


@pytest.fixture(scope="module")
def cells_of_one_token() -> Iterator[None]:
    """Cut even a corpus of a few tokens into a grid of several cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid_plan, "TOKENS_PER_CELL", 1)
        patch.setattr(grid_plan, "TOKENS_PER_VISIT", 1)
        yield
