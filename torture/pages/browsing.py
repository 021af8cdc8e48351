"""Hostile pages opened in a browser and used, many of them in one window.

To load a page takes ten times as long as to use it, because of the chart library, which is the same
in all. So a batch begins with a page that is loaded from its file, and the others, without the
library, are written into its window one after the other: the browser parses them as it would a
file, runs their own script, and holds them to their policy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.watched_page import WatchedPage
from torture.pages.corpora import hostile_page, shown_title, without_library

__all__ = ["count_scripts", "wrong_with"]

USE = """
const [pages, typed, done] = arguments;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const charts = ["map", "trace", "groups"];
const missing = () => charts.filter((id) => document.querySelector(`#${id} svg`) === null);

// Of buttons that do the same the last one is clicked: the others differ in a number.
function buttons() {
  const kinds = new Map();
  for (const one of document.querySelectorAll("button, summary, [role=button]"))
    kinds.set(one.id || `${one.closest("section, nav")?.id} ${one.tagName} ${one.className}`, one);
  return kinds.values();
}

function use(given) {
  for (const one of buttons()) one.click();
  for (const field of document.querySelectorAll("input, textarea")) {
    if (["checkbox", "radio", "range"].includes(field.type)) { field.click(); continue; }
    field.value = given;
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, {bubbles: true}));
  }
  for (const choice of document.querySelectorAll("select")) {
    choice.selectedIndex = choice.options.length - 1;
    choice.dispatchEvent(new Event("change", {bubbles: true}));
  }
}

const seen = () => ({
  is_whole: window.broken === undefined,
  n_scripts: document.scripts.length,
  title: document.title,
  missing: missing(),
  n_elements: document.querySelectorAll("iframe, object, embed, base, [onerror], [onload], "
    + "[onmouseover], [onfocus], meta[http-equiv=refresh], link[href^=http], "
    + "a[href^=javascript]").length,
});

(async () => {
  const found = [];
  for (const [i, page] of pages.entries()) {
    if (page !== null) {
      // Files are saved from the first page, and its address changes: browsers slow down what does
      // so thousands of times.
      HTMLAnchorElement.prototype.click = () => {};
      history.replaceState = () => {};
      document.open();
      document.write(page);
      document.close();
    }
    for (let tries = 0; tries < 1000 && missing().length > 0; tries += 1) await pause(5);
    use(typed[i]);
    await pause(0);
    found.push(seen());
    delete window.broken;
  }
  done(found);
})();
"""


def wrong_with(browser: Any, folder: Path, numbers: range, n_scripts: int) -> list[str]:
    """Open the pages of some numbers and use them; return what they did that they must not."""
    watched, found = _used(browser, folder, numbers)
    noise = [*watched.complaints(), *watched.foreign_requests()]
    if browser.current_url.partition("#")[0] != watched.address:
        noise.append("it went elsewhere")
    if noise and len(numbers) > 1:
        # One at a time, to see which it was.
        alone = [
            one for n in numbers for one in wrong_with(browser, folder, range(n, n + 1), n_scripts)
        ]
        return alone or [f"pages {numbers}: {one:.300}" for one in noise]
    wrong = [f"page {numbers[0]}: {one:.300}" for one in noise]
    for number, seen in zip(numbers, found, strict=True):
        for holds, what in (
            (seen["is_whole"], "a script of the corpus ran"),
            (seen["n_scripts"] == n_scripts, f"{seen['n_scripts']} scripts and not {n_scripts}"),
            (seen["n_elements"] == 0, f"{seen['n_elements']} elements of the corpus"),
            (not seen["missing"], f"no chart in {seen['missing']}"),
            (seen["title"].split() == shown_title(number), f"title {seen['title']!r}"),
        ):
            if not holds:
                wrong.append(f"page {number}: {what:.300}")
    return wrong


def count_scripts(browser: Any, folder: Path) -> int:
    """Return how many scripts a harmless page has."""
    _, found = _used(browser, folder, (None,))
    return int(found[0]["n_scripts"])


def _used(browser: Any, folder: Path, numbers: Any) -> tuple[WatchedPage, list[dict[str, Any]]]:
    pages = [hostile_page(number) for number in numbers]
    typed = ["x" if number is None else " ".join(shown_title(number)) for number in numbers]
    path = folder / "page.html"
    path.write_text(pages[0], encoding="utf-8")
    watched = WatchedPage(browser, path)
    written = [None, *(without_library(page) for page in pages[1:])]
    return watched, browser.execute_async_script(USE, written, typed)
