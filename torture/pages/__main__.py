"""``python -m torture.pages [--quick] [--pages N]``: reports of hostile corpora in a real browser.

Words, names, groups, texts and titles are made of what tries to become a script, a request or a
command. On every page all buttons are clicked and all fields filled in. No script of a corpus may
run, no request leave, nothing be on the console, and no chart be missing. A run goes on where the
one before ended.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.headless_chromium import headless_chromium
from torture.pages.browsing import count_scripts, wrong_with
from torture.results import OUT

N_PAGES, QUICK_PAGES = 10_000, 4
IN_ONE_WINDOW = 25
"""Pages between two that are loaded from a file."""
OF_ONE_BROWSER = 1_000
PATIENCE = 600.0
"""Seconds for the pages of one window, on a machine that is busy with other things."""


def main() -> int:
    """Open up to so many pages and print what was found."""
    options = _arguments()
    n_pages = options.pages or (QUICK_PAGES if options.quick else N_PAGES)
    path = options.out / "pages.json"
    options.out.mkdir(parents=True, exist_ok=True)
    facts: dict[str, Any] = {"pages": 0, "seconds": 0.0, "failures": []}
    if path.exists() and not options.quick:
        facts = json.loads(path.read_text())
    while facts["pages"] < n_pages and len(facts["failures"]) < 20:
        _open_pages(facts, min(n_pages, facts["pages"] + OF_ONE_BROWSER), options, path)
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


def _open_pages(
    facts: dict[str, Any], n_pages: int, options: argparse.Namespace, path: Path
) -> None:
    """Open pages in a new browser, and write down what was found after each window."""
    with (
        tempfile.TemporaryDirectory(prefix="blocklda-pages-") as folder,
        headless_chromium(Path(folder) / "profile") as browser,
    ):
        browser.set_script_timeout(PATIENCE)
        browser.command_executor.client_config.timeout = PATIENCE + 60  # not before the script's
        n_scripts = count_scripts(browser, Path(folder))
        while facts["pages"] < n_pages and len(facts["failures"]) < 20:
            start = time.monotonic()
            first = facts["pages"]
            numbers = range(first, min(n_pages, first + IN_ONE_WINDOW))
            facts["failures"] += wrong_with(browser, Path(folder), numbers, n_scripts)
            facts["pages"] += len(numbers)
            facts["seconds"] += time.monotonic() - start
            if not options.quick:
                path.write_text(json.dumps(facts, indent=1))


if __name__ == "__main__":
    sys.exit(main())
