"""Somebody who reads the page of a model."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import blocklda

__all__ = ["Reader", "read"]


class Reader:
    """Somebody who reads a page, and looks for parts of it by their ids."""

    def __init__(self, page) -> None:
        self.page = page
        self.driver = page.driver
        self.wait_for(lambda: self.all("#map svg") and self.all("#trace svg"))

    def wait_for(self, happens) -> None:
        WebDriverWait(self.driver, 30).until(lambda _: happens())

    def all(self, selector: str):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector,
        )

    def words(self) -> list[str]:
        return self.texts("#words tbody th")

    def set_slider(self, value: float) -> None:
        self.driver.execute_script(
            "const s = document.getElementById('weight'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('input'))",
            value,
        )

    def select(self, topic: int) -> None:
        self.driver.execute_script(
            "document.querySelector(`#topics button[data-topic='${arguments[0]}']`).click()", topic
        )

    def search(self, word: str) -> None:
        box = self.one("#search")
        box.clear()
        box.send_keys(word)


@pytest.fixture
def read(open_page, tmp_path):
    """Open the page of a model."""

    def open_report(model: blocklda.LDA, **given) -> Reader:
        model.report(tmp_path / "report.html", **given)
        return Reader(open_page(tmp_path / "report.html"))

    return open_report
