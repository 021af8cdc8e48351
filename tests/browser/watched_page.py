"""A page open in a browser that is watched: what it says on the console, and what it asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver

COMPLAINTS = ("SEVERE", "WARNING")
"""Levels of the console that a page in order has nothing to say on."""

HARMLESS = ("data:", "blob:", "about:")
"""How addresses begin that lie within the page."""

REQUESTS = {
    "Network.requestWillBeSent": lambda said: said["request"]["url"],
    "Network.webSocketCreated": lambda said: said["url"],
    "Network.webTransportCreated": lambda said: said["url"],
}
"""What the browser reports of what a page asks for, and where the address is."""


class WatchedPage:
    """A file that is open in the browser; all that happened since then can be asked for.

    ``driver`` is selenium's, to click and look with.
    """

    def __init__(self, driver: WebDriver, path: Path) -> None:
        self.driver = driver
        self.address = path.resolve().as_uri()
        self._console: list[str] = []
        self._asked_for: list[str] = []
        driver.get("about:blank")  # ends the page before, which may be the browser's own
        self._listen()
        self._console.clear()
        self._asked_for.clear()
        driver.get(self.address)

    def complaints(self) -> list[str]:
        """Return the errors and warnings on the console, uncaught exceptions among them."""
        self._listen()
        return list(self._console)

    def foreign_requests(self) -> list[str]:
        """Return the addresses asked for that are neither the page nor within it."""
        self._listen()
        return [address for address in self._asked_for if not self._is_own(address)]

    def require_quiet(self) -> None:
        """Fail if the page has complained, or asked for anything."""
        noise = [*self.complaints(), *(f"asked for {one}" for one in self.foreign_requests())]
        if noise:
            pytest.fail("\n".join([f"{self.address} is not quiet:", *noise]))

    def _is_own(self, address: str) -> bool:
        return address.partition("#")[0] == self.address or address.startswith(HARMLESS)

    def _listen(self) -> None:
        """Take what the browser has noted since the last time; it tells everything once."""
        for entry in self.driver.get_log("browser"):
            if entry["level"] in COMPLAINTS:
                self._console.append(f"{entry['level']}: {entry['message']}")
        self._asked_for += _requests(self.driver.get_log("performance"))


def _requests(log: list[dict[str, Any]]) -> Iterator[str]:
    for entry in log:
        message = json.loads(entry["message"])["message"]
        address_of = REQUESTS.get(message["method"])
        if address_of is not None:
            yield address_of(message["params"])
