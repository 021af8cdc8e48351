"""A headless Chromium for the tests of pages; where CI runs, it must be there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver

from benchmarks.headless_chromium import headless_chromium, missing_programs
from tests.browser.watched_page import WatchedPage


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker have all tests of this folder, where tests are given out by group."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


def require_programs() -> None:
    """Skip if the browser or its driver is missing; where CI runs, fail."""
    missing = missing_programs()
    if missing is None:
        return
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    """One browser for all tests, with nothing in its profile."""
    require_programs()
    with headless_chromium(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


@pytest.fixture
def open_page(browser: WebDriver) -> Callable[[Path], WatchedPage]:
    """Open a file in the browser and watch it."""
    return lambda path: WatchedPage(browser, path)
