"""The commands of README.md and of the page about them run as they stand, one after the other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import REPOSITORY, Page

README = Page(REPOSITORY / "README.md")
PAGE = Page(REPOSITORY / "docs" / "command-line.md")


def run_in(folder: Path, *command: str) -> None:
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def run_commands(page: Page, folder: Path) -> set[str]:
    """Run the lines of shell code of a page; return the names of the files that are there then."""
    for block in page.blocks("sh"):
        for command in block.code.split("\n"):
            if command:
                run_in(folder, "sh", "-c", command)
    return {path.name for path in folder.iterdir()}


@pytest.mark.long
def test_the_readme(tmp_path):
    made = {"stdlib.csv", "model", "report.html", "topics.csv"}
    assert made == run_commands(README, tmp_path)


@pytest.mark.long
def test_the_page_from_start_to_end(tmp_path):
    for block in PAGE.blocks("python"):
        run_in(tmp_path, sys.executable, "-c", block.code)
    made = run_commands(PAGE, tmp_path)
    assert {"model", "topics.csv", "topics.tsv", "docword.old.txt", "docword.again.txt"} <= made
    assert "report.html" in made
