"""The page about the architecture is true: its layers, its import rules, its counts of files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.code_references import PACKAGE, references
from tests.docs.guides import changed_files, new_files
from tests.docs.pages import REPOSITORY, Page

PAGE = Page(REPOSITORY / "docs" / "explanation" / "architecture.md")
FILES = sorted(PACKAGE.rglob("*.py"))

FOLDERS = re.findall(r"^\| `(\w+)/` \|", PAGE.text, re.M)
EXCEPTIONS = re.findall(r"^- `([\w/]+\.py)` imports `(\w+)/`:", PAGE.text, re.M)
KNOW_NO_MODEL = ("run", "files")

ADDITION = re.compile(r"^\| a [^|]+ \| (\d) \| (\d)(?:: `([^`]+)`)? \| ([^|]+) \|$", re.M)


def imported(text: str) -> Iterator[str]:
    """Yield the modules and names that code imports, when it is loaded or later, not for types."""
    tree = ast.parse(text)
    for_types = {
        id(node)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.unparse(branch.test)
        for node in ast.walk(branch)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def imports_against_the_order(path: Path, text: str) -> set[tuple[str, str]]:
    """Return the folders from which a file imports although they come after its own."""
    after = FOLDERS[FOLDERS.index(layer(path)) + 1 :]
    parts = [name.split(".") for name in imported(text) if name.startswith("blocklda.")]
    own = path.relative_to(PACKAGE).as_posix()
    return {(own, name[1]) for name in parts if name[1] in after}


def test_every_folder_is_on_the_page():
    tree = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert sorted(FOLDERS) == sorted(tree)


def test_hops_name_code():
    named = {reference.path for reference in references(PAGE) if reference.names}
    assert {"cli/commands/fit.py", "run/engine.py", "results/result.py", "report/page.py"} <= named


def test_folders_import_from_those_above_them():
    found = set()
    for path in FILES:
        if layer(path) in FOLDERS:
            found |= imports_against_the_order(path, path.read_text("utf-8"))
    assert found == set(EXCEPTIONS)


def test_an_import_against_the_order_is_found():
    text = "def f():\n    from blocklda.cli.terminal import tables\nimport blocklda.models.base\n"
    path = PACKAGE / "run" / "engine.py"
    assert imports_against_the_order(path, text) == {("run/engine.py", "cli")}
    assert imports_against_the_order(path, "if TYPE_CHECKING:\n    import blocklda.cli\n") == set()


def test_runs_and_files_know_no_model():
    assert (
        "- `run/` and `files/` import `models/base.py` and nothing else of `models/`" in PAGE.text
    )
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in FILES
        if layer(path) in KNOW_NO_MODEL
        for name in imported(path.read_text("utf-8"))
        if name.startswith("blocklda.models.") and not name.startswith("blocklda.models.base.")
    }
    assert found == set()


@pytest.mark.parametrize("row", ADDITION.findall(PAGE.text), ids=lambda row: row[3][:30])
def test_additions_touch_as_many_files_as_the_page_says(row):
    n_new, n_changed, changed, example = row
    guide = re.search(r"\]\(([\w./-]+\.md)\)", example)
    if guide:
        blocks = Page(PAGE.path.parent / guide[1]).placed_blocks()
        if n_new == "0":  # a quantity is a part of its page
            blocks = [block for block in blocks if block.path.endswith(changed)]
        assert (len(new_files(blocks)), len(changed_files(blocks))) == (int(n_new), int(n_changed))
        assert changed == "" or f"src/blocklda/{changed}" in changed_files(blocks)
    else:
        assert (n_new, n_changed) == ("1", "1")
        assert users_of(example.strip("` ")) == {changed}


def users_of(path: str) -> set[str]:
    """Return the files that import a module or something of it; commands are imported by name."""
    if path.startswith("cli/commands/"):
        line = f'"{Path(path).stem.replace("_", "-")}": "'
        return {
            file.relative_to(PACKAGE).as_posix()
            for file in FILES
            if line in file.read_text("utf-8")
        }
    module = "blocklda." + path.removesuffix(".py").replace("/", ".")
    return {
        file.relative_to(PACKAGE).as_posix()
        for file in FILES
        if any(f"{name}.".startswith(f"{module}.") for name in imported(file.read_text("utf-8")))
    }


def test_there_are_additions():
    assert len(ADDITION.findall(PAGE.text)) == 7
