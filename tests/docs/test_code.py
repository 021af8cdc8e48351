"""The Python code of README.md and docs/ runs as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import PAGES, Page
from tests.docs.running import in_place, run_code

README = "README.md"


def scripts(page: Page) -> dict[str, str]:
    """What is run of a page: README's blocks each by itself, other pages from top to bottom."""
    if page.placed_blocks():
        return {}  # test_guides.py puts its files in place first
    blocks = page.blocks("python")
    if page.name == README:
        return {f"{page.name}, line {block.line}": block.code for block in blocks}
    return {page.name: in_place([block.code for block in blocks])} if blocks else {}


SCRIPTS = {name: code for page in PAGES for name, code in scripts(page).items()}


def test_there_is_code_to_run():
    assert {README, "docs/fitting.md"} <= {name.split(",")[0] for name in SCRIPTS}


def test_a_block_keeps_the_lines_of_its_page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("# A\n\n```python\na = 1\n```\n\n```text\nb\n```\n```python\nc = a\n```\n")
    blocks = Page(path).blocks("python")
    assert [block.line for block in blocks] == [4, 11]
    lines = in_place([block.code for block in blocks]).split("\n")
    assert (lines[3], lines[10]) == ("a = 1", "c = a")


@pytest.mark.realdata
@pytest.mark.parametrize("name", SCRIPTS)
def test_code_runs(name: str, data_dir: Path, tmp_path: Path) -> None:
    said = run_code(SCRIPTS[name], tmp_path, name, BLOCKLDA_DATA=str(data_dir.resolve()))
    for page in PAGES:
        if page.name == name:
            page.require_output(said)
