"""A headless Chromium for the tests of pages; where CI runs, it must be there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver import ChromeOptions, ChromeService
from selenium.webdriver.chrome.webdriver import WebDriver

from tests.browser.watched_page import WatchedPage

PROGRAMS = ("chromium", "chromedriver")
"""As Debian's packages chromium and chromium-driver call them."""

FLAGS = (
    "--headless=new",
    "--disable-dev-shm-usage",  # small in containers
    "--disable-gpu",
    "--no-first-run",
    # A browser at rest asks for nothing of its own accord.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker have all tests of this folder, where tests are given out by group."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


def found_programs() -> list[str]:
    """Return where the browser and its driver are, or skip; where CI runs, fail."""
    found = {name: shutil.which(name) for name in PROGRAMS}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        reason = f"no {' and no '.join(missing)}; on Debian: apt install chromium chromium-driver"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return [path for path in found.values() if path is not None]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    """One browser for all tests, with nothing in its profile."""
    chromium, driver = found_programs()
    options = ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which Chromium does not build for root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # With the path of a driver selenium does not look for one, or download it.
    opened = WebDriver(options, ChromeService(executable_path=driver))
    try:
        yield opened
    finally:
        opened.quit()


@pytest.fixture
def open_page(browser: WebDriver) -> Callable[[Path], WatchedPage]:
    """Open a file in the browser and watch it."""
    return lambda path: WatchedPage(browser, path)
