"""The guides for contributors work when they are followed to the letter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.guides import changed, changed_files, follow, new_files
from tests.docs.pages import PAGES, REPOSITORY, Page, PlacedBlock
from tests.docs.running import in_place, run_code, run_python

GUIDES = [page for page in PAGES if page.placed_blocks()]
SAMPLER_GUIDE = Page(REPOSITORY / "docs" / "how-to" / "adding-a-sampler.md")
DIAGNOSTIC_GUIDE = Page(REPOSITORY / "docs" / "how-to" / "adding-a-diagnostic.md")

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
COUNTS = re.compile(r"\*\*(\w+)\s+new\s+files?\s+and\s+(\w+)\s+changed(?:\s+files?)?\*\*")
KERNELS_OF_SAMPLERS = ("augmented", "single_site", "backward", "nested")
"""The kernels on dense counts, each named like its sampler."""


def counts_on(page: Page) -> list[tuple[int, int]]:
    """Return how many new and changed files a page speaks of, as often as it does."""
    found = COUNTS.findall(page.prose.lower())
    return [(NUMBERS.index(new), NUMBERS.index(changed)) for new, changed in found]


def table_of_files(page: Page) -> dict[str, set[str]]:
    """Return the files in a page's table, by what happens to them."""
    rows = re.findall(r"^\| `([^`]+)` \| (new|changed) \|", page.text, re.M)
    return {what: {path for path, kind in rows if kind == what} for what in ("new", "changed")}


def test_there_are_guides():
    names = {"adding-a-diagnostic", "adding-a-model", "adding-a-sampler"}
    assert {page.path.stem for page in GUIDES} == names


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.path.stem)
def test_a_guide_works(page, tmp_path):
    source = follow(page.placed_blocks(), tmp_path)
    code = in_place([block.code for block in page.blocks("python")])
    page.require_output(run_code(code, tmp_path, page.name, PYTHONPATH=str(source)))


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.path.stem)
def test_a_guide_counts_its_files(page):
    blocks = page.placed_blocks()
    assert counts_on(page)[0] == (len(new_files(blocks)), len(changed_files(blocks)))


def test_files_from_before_a_quantity_load(tmp_path):
    source = follow(DIAGNOSTIC_GUIDE.placed_blocks(), tmp_path)
    code = """
import sys, blocklda
rows = blocklda.LDA.load(sys.argv[1]).diagnostics().table
print([row.mean for row in rows if row.quantity == "topics in use"])
"""
    model = REPOSITORY / "tests" / "files" / "model_version_1"
    said = run_python(
        *("-c", code, str(model)), folder=tmp_path, name=model.name, PYTHONPATH=str(source)
    )
    assert said == "[nan]\n"


def test_the_suites_take_a_new_sampler(tmp_path):
    source = follow(SAMPLER_GUIDE.placed_blocks(), tmp_path)
    suite = "tests/models/lda/samplers/test_invariants.py"
    said = run_python(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "rejection", suite),
        folder=REPOSITORY,
        name=suite,
        PYTHONPATH=str(source),
    )
    assert re.search(r"\b[1-9]\d* passed", said), said


def test_the_files_of_a_sampler_are_those_that_name_each_kernel():
    table = table_of_files(SAMPLER_GUIDE)
    assert counts_on(SAMPLER_GUIDE)[1] == (len(table["new"]), len(table["changed"]))
    assert set.intersection(*map(files_that_name, KERNELS_OF_SAMPLERS)) == {
        path.replace("<group>", "dense") for paths in table.values() for path in paths
    }


def files_that_name(kernel: str) -> set[str]:
    """Return the files of the package that name a kernel, in their text or by their own name."""
    files = [REPOSITORY / "CMakeLists.txt"]
    for folder in ("src", "native"):
        files += [path for path in (REPOSITORY / folder).rglob("*.*") if is_source(path)]
    word = re.compile(rf"\b{kernel}\b")
    return {
        path.relative_to(REPOSITORY).as_posix().replace(f"/{kernel}.", "/<name>.")
        for path in files
        if path.stem == kernel or word.search(path.read_text("utf-8"))
    }


def is_source(path: Path) -> bool:
    return path.suffix in {".py", ".pyi", ".cpp", ".hpp", ".def"} and "build" not in path.parts


def test_changes_are_made_where_the_page_says():
    text = "a = 1\nb = 2\n\nc = 3\n"
    block = PlacedBlock("diff", "f.py", " a = 1\n+x = 0\n@@\n-b = 2\n+b = 4\n")
    assert changed(text, block) == "a = 1\nx = 0\nb = 4\n\nc = 3\n"
    with pytest.raises(AssertionError, match="must have these lines once"):
        changed(text, PlacedBlock("diff", "f.py", "-d = 4\n"))
