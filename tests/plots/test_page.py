"""The page about figures shows what its own code writes."""

from __future__ import annotations

import re

from tests.docs.pages import REPOSITORY, Page

PAGE = Page(REPOSITORY / "docs" / "how-to" / "plots.md")
LARGEST = 120_000
"""Bytes of a picture that a page can hold many of."""


def test_every_figure_is_written_shown_and_small():
    code = "".join(block.code for block in PAGE.blocks("python"))
    written = set(re.findall(r'"(plots-[\w-]+\.png)"', code))
    shown = {link.removeprefix("../figures/") for link in PAGE.links() if link.endswith(".png")}
    kept = {path.name: path for path in (REPOSITORY / "docs" / "figures").glob("plots-*")}
    assert written == shown == set(kept)
    for path in kept.values():
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size <= LARGEST
