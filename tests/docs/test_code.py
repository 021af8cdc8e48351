"""The Python code of README.md and docs/ runs as it stands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from blocklda import Corpus, read_corpus
from blocklda.formats import write_corpus
from tests.docs.pages import PAGES, Page
from tests.docs.running import in_place, run_code, run_here

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


IN_A_PROCESS = ("docs/how-to/parallel.md",)
"""Pages whose code starts processes."""


def test_there_is_code_to_run():
    assert {README, "docs/how-to/fitting.md"} <= {name.split(",")[0] for name in SCRIPTS}


def test_a_block_keeps_the_lines_of_its_page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("# A\n\n```python\na = 1\n```\n\n```text\nb\n```\n```python\nc = a\n```\n")
    blocks = Page(path).blocks("python")
    assert [block.line for block in blocks] == [4, 11]
    lines = in_place([block.code for block in blocks]).split("\n")
    assert (lines[3], lines[10]) == ("a = 1", "c = a")


KOS, VOCABULARY = "docword.kos.txt.gz", "vocab.kos.txt"


@pytest.fixture(scope="module")
def light_data(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """KOS with all its documents and words and a sixth of its entries: less to sweep."""
    folder = tmp_path_factory.mktemp("light")
    kos = read_corpus(data_dir / KOS)
    counts = kos.to_matrix()
    counts.data[np.arange(counts.nnz) % 6 > 0] = 0
    write_corpus(Corpus.from_matrix(counts, kos.vocabulary), folder / KOS)
    assert (folder / VOCABULARY).is_file()
    return folder


@pytest.mark.realdata
@pytest.mark.parametrize("name", SCRIPTS)
def test_code_runs(name: str, data_dir: Path, light_data: Path, tmp_path: Path) -> None:
    pages = [page for page in PAGES if page.name == name]
    # What a page prints is of all of KOS.
    has_output = any(page.blocks("output") for page in pages)
    data = {"BLOCKLDA_DATA": str((data_dir if has_output else light_data).resolve())}
    if name in IN_A_PROCESS:
        said = run_code(SCRIPTS[name], tmp_path, name, **data)
    else:
        said = run_here(SCRIPTS[name], tmp_path, name, short=not has_output, **data)
    for page in pages:
        page.require_output(said)
