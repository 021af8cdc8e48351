"""How large a report is, how long it takes to make and to open.

A model of 100 topics is fitted to 10,000 documents drawn from an LDA whose words follow Zipf's law,
with texts and dates; ``--topics`` and ``--documents`` for others. A page is open when its map and
its traces are drawn: the time since the browser was told its address, medians over ``--repeat``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

import blocklda
from benchmarks.harness import machine
from benchmarks.headless_chromium import headless_chromium, missing_programs

LENGTH = 120
IS_OPEN = """
return document.querySelector("#map svg") && document.querySelector("#trace svg")
  ? performance.now() / 1000 : null
"""


def drawn_texts(n_docs: int, n_topics: int, n_words: int, seed: int) -> list[str]:
    """Draw texts from an LDA: words by Zipf's law, in an order of its own for every topic."""
    rng = np.random.default_rng(seed)
    weights = np.cumsum(1 / np.arange(1, n_words + 1))
    orders = [rng.permutation(n_words) for _ in range(n_topics)]
    texts = []
    for _ in range(n_docs):
        topics = rng.choice(n_topics, size=LENGTH, p=rng.dirichlet(np.full(n_topics, 0.05)))
        ranks = np.searchsorted(weights, rng.random(LENGTH) * weights[-1])
        texts.append(" ".join(f"word{orders[k][r]}" for k, r in zip(topics, ranks, strict=True)))
    return texts


def seconds_to_open(browser: WebDriver, page: Path) -> float:
    browser.get("about:blank")
    browser.get(page.as_uri())
    wait = WebDriverWait(browser, 60, poll_frequency=0.01)
    return float(wait.until(lambda driver: driver.execute_script(IS_OPEN)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="toy size: its figures mean nothing")
    options = parser.parse_args()
    if options.quick:
        options.topics, options.documents, options.words = 5, 60, 300
        options.sweeps, options.repeat = 10, 1
    print(machine())
    texts = drawn_texts(options.documents, options.topics, options.words, options.seed)
    years = [1980 + i * 40 // len(texts) for i in range(len(texts))]
    model = blocklda.LDA(
        options.topics,
        n_chains=2,
        n_sweeps=options.sweeps,
        burn_in=options.sweeps // 2,
        random_state=options.seed,
        progress=False,
    )
    model.fit(blocklda.Corpus.from_texts(texts, stop_words="none"))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        begin = time.perf_counter()
        model.report(page, texts=texts, groups=years, group_name="year")
        made = time.perf_counter() - begin
        print(f"{options.topics} topics, {options.documents:,} documents, {model.draws_}")
        print(f"size  {page.stat().st_size / 1e6:.2f} MB")
        print(f"made  {made:.1f} s, the chart library included")
        missing = missing_programs()
        if missing is not None:
            print(f"open  not measured: {missing}")
            return
        with headless_chromium(Path(folder) / "profile") as browser:
            times = [seconds_to_open(browser, page) for _ in range(options.repeat)]
        print(f"open  {np.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})")


if __name__ == "__main__":
    main()
