"""A few pages of hostile corpora; `python -m torture.pages` opens ten thousand."""

from __future__ import annotations

from torture.pages.browsing import count_scripts, wrong_with
from torture.pages.corpora import hostile_page

INJECTED = {
    "<img src=x onerror='window.broken=1'>": "elements of the corpus",
    "<img src=http://127.0.0.1:9/x.png>": "127.0.0.1",
    "<script>window.broken=1</script>": "scripts and not",
}
"""What gets into a page by hand, and what is said of it."""


def test_pages_of_hostile_corpora_are_quiet(browser, tmp_path):
    """The first is loaded, the others are written into its window."""
    assert wrong_with(browser, tmp_path, range(3), count_scripts(browser, tmp_path)) == []


def test_what_gets_into_a_page_is_seen(browser, tmp_path, monkeypatch):
    def broken_page(number):
        body = f"<body>{''.join(INJECTED)}" if number == 1 else "<body>"
        return hostile_page(number).replace("<body>", body, 1)

    n_scripts = count_scripts(browser, tmp_path)
    monkeypatch.setattr("torture.pages.browsing.hostile_page", broken_page)
    found = wrong_with(browser, tmp_path, range(2), n_scripts)
    assert all(any(said in one for one in found) for said in INJECTED.values())
    assert all(one.startswith("page 1: ") for one in found)
