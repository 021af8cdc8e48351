"""A few pages of hostile corpora; `python -m torture.pages` opens ten thousand."""

from __future__ import annotations

from tests.browser.watched_page import WatchedPage
from torture.pages import CLICK, hostile_page, wrong_with


def test_pages_of_hostile_corpora_are_quiet(browser, tmp_path):
    WatchedPage(browser, hostile_page(tmp_path, None))
    n_scripts = browser.execute_script(CLICK, "x")[1]
    for number in range(2):
        assert wrong_with(browser, tmp_path, number, n_scripts) == []


def test_a_script_that_runs_is_seen(browser, tmp_path, monkeypatch):
    """The page of a corpus with a script in it, put there by hand."""
    page = hostile_page(tmp_path, None)
    WatchedPage(browser, page)
    n_scripts = browser.execute_script(CLICK, "x")[1]

    def with_script(folder, number):
        path = hostile_page(folder, number)
        path.write_text(
            path.read_text().replace("<body>", "<body><img src=x onerror='window.broken=1'>")
        )
        return path

    monkeypatch.setattr("torture.pages.hostile_page", with_script)
    assert any(
        "elements of the corpus" in one for one in wrong_with(browser, tmp_path, 3, n_scripts)
    )
