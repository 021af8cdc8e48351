"""``python -m torture.pages [--quick] [--pages N]``: reports of hostile corpora in a real browser.

Words, names, groups, texts and titles are made of what tries to become a script, a request or a
command. On every page all buttons are clicked and all fields filled in. No script of a corpus may
run, no request leave, and nothing be on the console. A run goes on where the one before ended.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import blocklda
from benchmarks.headless_chromium import headless_chromium
from tests.browser.watched_page import WatchedPage
from torture.results import OUT

N_PAGES, QUICK_PAGES = 10_000, 4
SAVE_EVERY = 20

BREAK = "window.broken=1"
PAYLOADS = (
    f"<script>{BREAK}</script>", f"</script><script>{BREAK}</script>", "<!--<script>", "-->", "]]>",
    f"<img src=x onerror={BREAK}>", f"<svg onload={BREAK}>", f"\"><svg/onload={BREAK}>",
    f"' onmouseover='{BREAK}", f'" autofocus onfocus="{BREAK}', f"javascript:{BREAK}",
    f"`${{{BREAK}}}`", f"${{{BREAK}}}", f"{{{{constructor.constructor('{BREAK}')()}}}}",
    "<iframe src=http://127.0.0.1:9/x>", "<base href=http://127.0.0.1:9/>", "</title>", "</style>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>", "</textarea>", "<a href='#'>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css>", "@import 'http://127.0.0.1:9/'",
    "url(http://127.0.0.1:9/x)", "//127.0.0.1:9/x", "&lt;script&gt;", "&#x3c;script>",
    "\\u003cscript>",
    "\\", "\\\\", "'", '"', "`", "\u2028", "\u2029", "\u202e", "\ufeff", "\U0001f600", "\x00",
    "\x1b[2J",
    "__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "null", "undefined", "NaN",
    "true", "0", "-1", "1e999", "[object Object]", "datum.x", "$", "%s", "%", "\n", "\t", " ", ".",
    "#",
    "[", "a[0]", "a.b", "a\\.b", "(", ")", "*", "+", "?", "^", "|", "👩‍👩‍👧", "نص", "ß", "İ", "ǆ",
)  # fmt: skip
"""With names of every object in JavaScript, and what Vega takes for paths, signals and dates."""

CLICK = """
const given = arguments[0];
for (const one of [...document.querySelectorAll("button, summary, [role=button]")].slice(0, 40))
    one.click();
for (const field of document.querySelectorAll("input, textarea")) {
    if (["checkbox", "radio", "range"].includes(field.type)) { field.click(); continue; }
    field.value = given;
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, {bubbles: true}));
}
for (const choice of document.querySelectorAll("select")) {
    choice.selectedIndex = choice.options.length - 1;
    choice.dispatchEvent(new Event("change", {bubbles: true}));
}
return [window.broken === undefined, document.scripts.length, document.title,
    document.querySelectorAll("iframe, object, embed, base, [onerror], [onload], [onmouseover], "
        + "[onfocus], meta[http-equiv=refresh], link[href^=http], a[href^=javascript]").length];
"""


def main() -> int:
    """Open up to so many pages and print what was found."""
    options = _arguments()
    n_pages = options.pages or (QUICK_PAGES if options.quick else N_PAGES)
    path = options.out / "pages.json"
    options.out.mkdir(parents=True, exist_ok=True)
    facts: dict[str, Any] = {"pages": 0, "seconds": 0.0, "failures": []}
    if path.exists() and not options.quick:
        facts = json.loads(path.read_text())
    start, before = time.monotonic(), facts["seconds"]
    with (
        tempfile.TemporaryDirectory(prefix="blocklda-pages-") as folder,
        headless_chromium(Path(folder) / "profile") as browser,
    ):
        n_scripts = _look_at(browser, hostile_page(Path(folder), None), "x")[1]
        while facts["pages"] < n_pages and len(facts["failures"]) < 20:
            number = facts["pages"]
            facts["failures"] += wrong_with(browser, Path(folder), number, n_scripts)
            facts["pages"] += 1
            facts["seconds"] = before + time.monotonic() - start
            if not options.quick and number % SAVE_EVERY == 0:
                path.write_text(json.dumps(facts, indent=1))
    if not options.quick:
        path.write_text(json.dumps(facts, indent=1))
    print(f"pages: {facts['pages']:,} in a browser, ", end="")
    print(f"{len(facts['failures'])} that were not quiet; {facts['seconds']:.0f} s")
    for failure in facts["failures"]:
        print(f"BROKEN: {failure}")
    return 1 if facts["failures"] else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="torture.pages", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few pages, to see that it runs")
    parser.add_argument("--pages", type=int, help=f"pages in all (default: {N_PAGES:,})")
    parser.add_argument("--out", type=Path, default=OUT, help=f"folder of results (default {OUT})")
    return parser.parse_args()


def wrong_with(browser: Any, folder: Path, number: int, n_scripts: int) -> list[str]:
    """Open a page and use it; return what it did that it must not."""
    page = hostile_page(folder, number)
    title = _texts(random.Random(number), 1)[0]
    watched = WatchedPage(browser, page)
    is_whole, found_scripts, shown, n_elements = browser.execute_script(CLICK, title)
    noise = [*watched.complaints(), *watched.foreign_requests()]
    for holds, what in (
        (is_whole, "a script of the corpus ran"),
        (found_scripts == n_scripts, f"{found_scripts} scripts and not {n_scripts}"),
        (n_elements == 0, f"{n_elements} elements of the corpus"),
        (browser.current_url.partition("#")[0] == watched.address, "it went elsewhere"),
        (shown.split() == _shown(title).split(), f"its title is {shown!r}"),
    ):
        if not holds:
            noise.append(what)
    return [f"page {number}: {one:.300}" for one in noise]


def _look_at(browser: Any, page: Path, given: str) -> Any:
    WatchedPage(browser, page)
    return browser.execute_script(CLICK, given)


def _shown(title: str) -> str:
    """Return a title as HTML has it: without zero bytes, which parsers replace."""
    return title.replace("\x00", "\ufffd")


def hostile_page(folder: Path, number: int | None) -> Path:
    """Write the page of a number, or a harmless one."""
    rng = random.Random(number)
    n_docs, n_words = 8, 8
    title, words, names, groups, texts = (
        _texts(rng, n) for n in (1, n_words, n_docs, n_docs, n_docs)
    )
    if number is None:
        title, words = ["title"], [f"word{i}" for i in range(n_words)]
        names, groups = ([f"{i % 2}" for i in range(n_docs)] for _ in range(2))
        texts = [" ".join(words)] * n_docs
    words = [f"{word}{i}" if words.count(word) > 1 else word for i, word in enumerate(words)]
    counts = np.random.default_rng(number).poisson(1.5, (n_docs, n_words)) + 1
    corpus = blocklda.Corpus.from_matrix(counts, words, doc_names=names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lda = blocklda.LDA(2, n_sweeps=6, burn_in=2, thin=2, n_chains=2, progress=False)
        path = folder / "page.html"
        lda.set_params(random_state=0).fit(corpus).report(
            path, texts=texts, groups=groups, group_name=rng.choice(words), title=title[0]
        )
    return path


def _texts(rng: random.Random, n: int) -> list[str]:
    """Return texts made of one to three payloads, some cut or with other letters among them."""
    found = []
    for _ in range(n):
        text = "".join(rng.choice(PAYLOADS) for _ in range(rng.choice((1, 1, 2, 3))))
        if rng.random() < 0.2:
            text = text[: rng.randrange(1, len(text) + 1)]
        if rng.random() < 0.2:
            place = rng.randrange(len(text) + 1)
            text = (
                text[:place]
                + chr(rng.choice((0, 9, 10, 13, 127, 133, 160, 8203, 65279)))
                + text[place:]
            )
        found.append(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or "x")
    return found


if __name__ == "__main__":
    sys.exit(main())
