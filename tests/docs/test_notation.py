"""The dictionary of symbols names what the code has."""

from __future__ import annotations

import re

import blocklda
from blocklda.models.lda.draw import Draw
from tests.docs.pages import REPOSITORY, Page

PAGE = Page(REPOSITORY / "docs" / "reference" / "notation.md")
PUBLIC = {"chain": blocklda.Chain, "corpus": blocklda.Corpus, "draw": Draw}

SOURCES = [REPOSITORY / "native", REPOSITORY / "src" / "blocklda" / "models" / "lda"]


def words_of_the_code() -> set[str]:
    files = [
        path for root in SOURCES for path in root.rglob("*.*") if path.suffix in {".py", ".hpp"}
    ]
    return {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8"))}


def test_methods_exist():
    named = [re.fullmatch(r"(\w+)\.(\w+)(?:\(\))?", span) for span in PAGE.spans()]
    methods = [(match[1], match[2]) for match in named if match]
    assert {owner for owner, _ in methods} == set(PUBLIC)
    assert [name for name in methods if not hasattr(PUBLIC[name[0]], name[1])] == []


def test_names_occur_in_kernels_and_twins():
    rows = [line.split(" | ") for line in PAGE.text.splitlines() if line.startswith("| ")]
    named = {word for row in rows for word in re.findall(r"`(\w+)", row[2])}
    assert {"n_dk", "leaves", "saddle_point"} <= named
    assert named <= words_of_the_code()
