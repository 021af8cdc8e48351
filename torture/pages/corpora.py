"""Corpora whose words, names, groups, texts and titles try to become a script or a request."""

from __future__ import annotations

import random
import re
import warnings
from functools import cache

import numpy as np

import blocklda

__all__ = ["hostile_page", "shown_title", "without_library"]

N_DOCS, N_WORDS = 8, 8

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


def hostile_page(number: int | None) -> str:
    """Return the page of a number, or a harmless one."""
    rng = random.Random(number)
    title, words, names, groups, texts = (
        _texts(rng, n) for n in (1, N_WORDS, N_DOCS, N_DOCS, N_DOCS)
    )
    if number is None:
        title, words = ["title"], [f"word{i}" for i in range(N_WORDS)]
        names, groups = ([f"{i % 2}" for i in range(N_DOCS)] for _ in range(2))
        texts = [" ".join(words)] * N_DOCS
    words = [f"{word}{i}" if words.count(word) > 1 else word for i, word in enumerate(words)]
    counts = np.random.default_rng(number).poisson(1.5, (N_DOCS, N_WORDS)) + 1
    corpus = blocklda.Corpus.from_matrix(counts, words, doc_names=names)
    lda = blocklda.LDA(2, n_sweeps=6, burn_in=2, thin=2, n_chains=2, n_jobs=1, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = (
            lda.set_params(random_state=0)
            .fit(corpus)
            .report(texts=texts, groups=groups, group_name=rng.choice(words), title=title[0])
        )
    return page.html


def shown_title(number: int) -> list[str]:
    """Return the title of a page as a browser has it, in pieces: without what is not printable."""
    title = _texts(random.Random(number), 1)[0].strip() or "Topics"
    # Parsers replace zero bytes, and browsers take other control characters for spaces.
    return re.sub(r"[\x01-\x20\x7f]", " ", title.replace("\x00", "\ufffd")).split()


@cache
def _library() -> str:
    """Return the chart library as it stands in every page."""
    harmless = hostile_page(None)
    start = harmless.index("<script>/* vega")
    return harmless[start : harmless.index("</script>", start)]


def without_library(page: str) -> str:
    """Return a page for a window that has the chart library already: its script is empty."""
    before, library, after = page.partition(_library())
    if not library:
        raise ValueError("the page does not hold the chart library")
    return f"{before}<script>{after}"


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
