"""A Chromium without a window, driven by selenium: pages are tested, timed and pictured in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import ChromeOptions, ChromeService
from selenium.webdriver.chrome.webdriver import WebDriver

__all__ = ["headless_chromium", "missing_programs"]

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
)


def missing_programs() -> str | None:
    """Return which program is missing and how to get it, None if all are there."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if not missing:
        return None
    return f"no {' and no '.join(missing)}; on Debian: apt install chromium chromium-driver"


@contextmanager
def headless_chromium(profile: Path, size: tuple[int, int] = (1280, 900)) -> Iterator[WebDriver]:
    """Start a browser with an empty folder as its profile, and end it."""
    chromium, driver = (shutil.which(name) for name in PROGRAMS)
    options = ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--window-size={size[0]},{size[1]}")
    options.add_argument(f"--user-data-dir={profile}")
    # What a page saves is the browser's own, not its user's.
    downloads = {"download.default_directory": str(profile / "downloads")}
    options.add_experimental_option("prefs", downloads)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which Chromium does not build for root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # With the path of a driver selenium does not look for one, or download it.
    browser = WebDriver(options, ChromeService(executable_path=driver))
    try:
        yield browser
    finally:
        browser.quit()
