"""The commands of README.md and of the page about them run as they stand, one after the other."""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import REPOSITORY, Page
from tests.docs.running import run_command, run_here

README = Page(REPOSITORY / "README.md")
PAGE = Page(REPOSITORY / "docs" / "how-to" / "command-line.md")


def run_commands(page: Page, folder: Path) -> set[str]:
    """Run the lines of shell code of a page; return the names of the files that are there then."""
    for block in page.blocks("sh"):
        for command in block.code.split("\n"):
            if command:
                run_command(command, folder)
    return {path.name for path in folder.iterdir()}


def test_the_readme(tmp_path):
    made = {"stdlib.csv", "model", "report.html"}
    assert made == run_commands(README, tmp_path)


def test_the_page_from_start_to_end(tmp_path):
    for block in PAGE.blocks("python"):
        run_here(block.code, tmp_path, PAGE.name, short=True)
    made = run_commands(PAGE, tmp_path)
    assert {"model", "topics.csv", "topics.tsv", "docword.old.txt", "docword.again.txt"} <= made
    assert "report.html" in made
