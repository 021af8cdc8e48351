"""CONTRIBUTING.md has the whole tree, and nothing that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.code_references import PACKAGE, references
from tests.docs.pages import REPOSITORY, Page

PAGE = Page(REPOSITORY / "CONTRIBUTING.md")


def folders(path: Path) -> set[str]:
    return {entry.name for entry in path.iterdir() if entry.is_dir() and entry.name[0] not in "._"}


def on_the_page(parent: str) -> set[str]:
    """Return the folders in a folder that the page names."""
    paths = [Path(reference.path) for reference in references(PAGE)]
    return {path.name for path in paths if path.parent == Path(parent)} & folders(
        REPOSITORY / parent
    )


@pytest.mark.parametrize("parent", ["native", "tests"])
def test_every_folder_is_named_or_mirrors_the_package(parent):
    mirrors = folders(PACKAGE) if parent == "tests" else set()
    assert folders(REPOSITORY / parent) - mirrors - {"build"} <= on_the_page(parent)


def test_the_folders_at_the_top_are_named():
    assert {"native", "tests", "benchmarks", "torture", "docs"} == on_the_page(".")
    assert on_the_page("src") == {"blocklda"}


def test_guides_are_linked():
    found = (REPOSITORY / "docs").glob("*/adding-*.md")
    guides = {path.relative_to(REPOSITORY).as_posix() for path in found}
    assert len(guides) == 3
    others = {"docs/explanation/architecture.md", "docs/reference/notation.md"}
    assert guides | others <= set(PAGE.links())
