"""The watch over pages sees what it is there to see."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.conftest import require_programs

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="

NOWHERE = "http://127.0.0.1:9/x"
"""Where no server answers, and none could: browsers refuse this port."""

WITHIN = f"""
console.log("hello"); console.info("here"); location.hash = "there";
const image = new Image(); image.src = "{PIXEL}"; document.body.append(image);
fetch(URL.createObjectURL(new Blob(["text"])))
    .then((got) => got.text()).then((text) => {{ document.title = text; }});
"""
"""What a page may do: talk, move within itself, use what it holds."""


def page(folder: Path, script: str, name: str = "page ü#1.html") -> Path:
    path = folder / name
    path.write_text(
        '<!doctype html><meta charset="utf-8"><title>page</title><body>'
        f"<button>press</button><script>{script}</script>",
        encoding="utf-8",
    )
    return path


def test_a_page_in_order_is_quiet(open_page, tmp_path):
    opened = open_page(page(tmp_path, WITHIN))
    WebDriverWait(opened.driver, 20).until(lambda driver: driver.title == "text")
    assert opened.driver.execute_script("return location.hash") == "#there"
    opened.require_quiet()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('console.error("it broke")', "it broke"),
        ('console.warn("it may break")', "it may break"),
        ('throw new Error("thrown")', "Uncaught Error: thrown"),
        ('setTimeout(() => { throw new Error("late"); document.title }, 1)', "late"),
        ('Promise.reject(new Error("promised"))', "promised"),
        ("let x = ;", "SyntaxError"),
    ],
)
def test_errors_and_warnings_are_heard(open_page, tmp_path, script, said):
    opened = open_page(page(tmp_path, script))
    WebDriverWait(opened.driver, 20).until(lambda _: opened.complaints())
    (complaint,) = opened.complaints()
    assert said in complaint
    assert opened.complaints() == [complaint]
    assert opened.foreign_requests() == []
    with pytest.raises(pytest.fail.Exception):
        opened.require_quiet()


@pytest.mark.parametrize(
    ("script", "address"),
    [
        (f"fetch({NOWHERE!r}).catch(() => null)", NOWHERE),
        (f"new Image().src = {NOWHERE!r}", NOWHERE),
        (f"navigator.sendBeacon({NOWHERE!r}, '1')", NOWHERE),
        (f"document.write('<link rel=stylesheet href={NOWHERE}>')", NOWHERE),
        (f"document.write('<iframe src={NOWHERE}></iframe>')", NOWHERE),
        ("new WebSocket('ws://127.0.0.1:19999/x')", "ws://127.0.0.1:19999/x"),
        ("new Image().src = 'beside.png'", "beside.png"),
    ],
)
def test_requests_are_seen(open_page, tmp_path, script, address):
    opened = open_page(page(tmp_path, script))
    WebDriverWait(opened.driver, 20).until(lambda _: opened.foreign_requests())
    (asked_for,) = opened.foreign_requests()
    assert asked_for.endswith(address)
    with pytest.raises(pytest.fail.Exception):
        opened.require_quiet()


def test_what_a_click_does_is_watched_too(open_page, tmp_path):
    opened = open_page(page(tmp_path, "onclick = () => { null.pressed }"))
    opened.require_quiet()
    opened.driver.find_element(By.TAG_NAME, "button").click()
    (complaint,) = opened.complaints()
    assert "TypeError" in complaint


def test_a_page_is_not_blamed_for_the_one_before(open_page, tmp_path):
    first = open_page(page(tmp_path, f'console.error("first"); fetch({NOWHERE!r})', "first.html"))
    second = open_page(page(tmp_path, "", "second.html"))
    second.require_quiet()
    assert first.address != second.address


def test_without_a_browser_tests_are_skipped_but_not_where_ci_runs(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no chromium and no chromedriver"):
        require_programs()
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="apt install chromium chromium-driver"):
        require_programs()
