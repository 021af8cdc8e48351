"""A page is one file that holds all it needs and lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import blocklda
from blocklda import InputError
from blocklda.report import Report
from tests.report.hostile import HOSTILE_TEXTS


class Elements(HTMLParser):
    """The elements that a browser would see, and the texts of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.is_script = False
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        self.is_script = tag == "script"
        if self.is_script:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.is_script = False

    def handle_data(self, data):
        if self.is_script:
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def page(hostile) -> str:
    return hostile.report(
        texts=HOSTILE_TEXTS,
        groups=[text.split()[0] for text in HOSTILE_TEXTS],
        group_name="</script><b>",
        title="</title><script>alert(1)</script>",
    ).html


def test_what_the_corpus_holds_becomes_no_element(page, two_chains):
    tame = [tag for tag, _ in Elements(two_chains.report().html).seen]
    assert [tag for tag, _ in Elements(page).seen] == tame


def test_contents_read_like_no_html(page):
    contents = re.search(r'<script id="contents" type="application/json">(.*?)</script>', page)
    assert contents is not None
    assert not set("<>&\u2028\u2029") & set(contents[1])


def test_only_the_scripts_of_the_page_may_run_and_nothing_is_loaded(page):
    elements = Elements(page)
    (policy,) = (a["content"] for t, a in elements.seen if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "http" not in policy
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    _, *own = elements.scripts  # the first holds the contents, which are not run
    digests = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in own}
    assert digests == allowed
    for tag, attributes in elements.seen:
        assert "src" not in attributes, tag
        assert not any(name.startswith("on") for name in attributes), tag
        assert attributes.get("href", "data:,") in ("data:,", "#topic-heading"), tag


def test_the_same_model_gives_the_same_page(two_chains):
    assert two_chains.report().html == two_chains.report().html


def test_a_page_is_saved_and_shown_in_a_notebook(two_chains, tmp_path):
    made = two_chains.report(tmp_path / "page.html", title="Ünïcode")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == made.html
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
    frame = made._repr_html_()
    assert html.escape(made.html) in frame
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    assert "bytes" in repr(made)


def test_a_page_that_cannot_be_saved_leaves_nothing(tmp_path):
    with pytest.raises(InputError):
        Report("<p>").save(tmp_path / "missing" / "page.html")
    with pytest.raises(InputError):
        Report("<p>").save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_half_characters_do_not_break_a_page(two_chains, tmp_path):
    groups = ["\ud800"] * 40
    made = two_chains.report(tmp_path / "page.html", title="half \ud800 one", groups=groups)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == made.html
    assert made.html.count("half ? one") == 2


@pytest.mark.long
def test_a_large_model_gives_a_page_of_less_than_six_megabytes():
    rng = np.random.default_rng(0)
    n_docs, n_words, length = 10_000, 20_000, 60
    words = [f"word{i}" for i in range(n_words)]
    columns = (n_words * rng.random((n_docs, length)) ** 3).astype(int)
    texts = [" ".join(words[i] for i in row) + " and more" * 100 for row in columns]
    X = blocklda.Corpus.from_texts(texts, vocabulary=words, stop_words="none")
    model = blocklda.LDA(100, n_sweeps=4, burn_in=2, thin=1, random_state=0, progress=False)
    page = model.fit(X).report(texts=texts, groups=rng.integers(1990, 2020, n_docs))
    assert len(page.html.encode()) < 6_000_000
