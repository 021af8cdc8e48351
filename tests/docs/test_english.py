"""Pages are written in the field's own words: expressions that readers stumble over stay out."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import PAGES, REPOSITORY, Page

STUMBLING = (
    r"\banew\b",
    r"\b(?:go|goes|went|going|gone) on (?:with|from|to)\b",
    r"\b(?:stationary|joint|conditional|exact) laws?\b",
    r"\b(?:told apart|be told|is told|are told)\b",
    r"\b(?:by and by|of late|with no eye to|so many)\b",
    r"\b(?:is|are) no (?:counts?|numbers?|rows?|records?|proof|alternative)\b",
    r"\bsmall letters\b",
    r", say[,.;]",
    r"\bmeets all\b",
    r"\bwhat (?:comes|came) of it\b",
    r"\bour fault\b",
    r"\bmend(?:s|ed)?\b",
    r"\bpresent sweep\b",
    r"\blet go of\b",
)

CHECKED = [
    page
    for page in PAGES
    if page.name == "README.md" or page.path.is_relative_to(REPOSITORY / "docs")
]


@pytest.mark.parametrize("page", CHECKED, ids=lambda page: page.name)
def test_pages_are_in_plain_english(page: Page) -> None:
    assert stumbling(page.prose) == []


def test_an_expression_is_found_across_lines():
    assert stumbling("A chain goes\non with it, and begins anew.") == ["anew", "goes\non with"]


def stumbling(text: str) -> list[str]:
    """Return the expressions that a text has, by their place in the list."""
    spaced = [expression.replace(" ", r"\s+") for expression in STUMBLING]
    return [found[0] for words in spaced for found in re.finditer(words, text, re.I)]
