"""The commands of the page about the command line run as they stand, one after the other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import REPOSITORY, Page

PAGE = Page(REPOSITORY / "docs" / "command-line.md")


def test_the_page_from_start_to_end(tmp_path):
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONUTF8": "1",
    }

    def run(*command: str) -> None:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"

    for block in PAGE.blocks("python"):
        run(sys.executable, "-c", block.code)
    for block in PAGE.blocks("sh"):
        for command in block.code.split("\n"):
            if command:
                run("sh", "-c", command)
    made = {path.name for path in tmp_path.iterdir()}
    assert {"model", "topics.csv", "topics.tsv", "docword.old.txt", "docword.again.txt"} <= made
