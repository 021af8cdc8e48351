"""The Python code of README.md and docs/ runs as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from blocklda import Corpus, read_corpus
from blocklda.formats import write_corpus
from tests.docs.pages import PAGES, Page

README = "README.md"


def scripts(page: Page) -> dict[str, str]:
    """What is run of a page: README's blocks each by itself, other pages from top to bottom."""
    blocks = page.blocks("python")
    if page.name == README:
        return {f"{page.name}, line {block.line}": block.code for block in blocks}
    return {page.name: in_place([block.code for block in blocks])} if blocks else {}


def in_place(codes: list[str]) -> str:
    """Lay blocks over one another: each has empty lines where the others have their code."""
    script = ""
    for code in codes:
        script += code[script.count("\n") :]
    return script


SCRIPTS = {name: code for page in PAGES for name, code in scripts(page).items()}

OUTPUTS = {
    page.name: [block.code.lstrip("\n") for block in page.blocks("output")] for page in PAGES
}
"""What a page says its code prints, in blocks of their own: the same seed prints the same."""


LONG = dict.fromkeys(
    ("docs/plots.md", "docs/parallel.md", "docs/comparing-samplers.md"), pytest.mark.long
)


def test_there_is_code_to_run():
    assert {README, "docs/fitting.md"} <= {name.split(",")[0] for name in SCRIPTS}


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
@pytest.mark.parametrize("name", [pytest.param(n, marks=LONG.get(n, ())) for n in SCRIPTS])
def test_code_runs(name: str, data_dir: Path, light_data: Path, tmp_path: Path) -> None:
    data = data_dir if OUTPUTS.get(name) else light_data  # what is printed is of all of KOS
    script = tmp_path / "code_of_the_page.py"
    script.write_text(SCRIPTS[name], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", script.name],
        cwd=tmp_path,
        env={**os.environ, "BLOCKLDA_DATA": str(data.resolve()), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, f"{name}\n{done.stderr}"
    for shown in OUTPUTS.get(name, ()):
        assert shown in done.stdout, f"{name} shows\n{shown}\nbut its code prints\n{done.stdout}"
