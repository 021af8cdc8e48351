"""What the pages point to is there: files, headings, commands, targets of make, benchmarks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from blocklda.cli import app
from tests.docs.code_references import references
from tests.docs.pages import PAGES, REPOSITORY, Page

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)

TARGETS = set(re.findall(r"^([a-z][\w-]*):", (REPOSITORY / "Makefile").read_text(), re.M))
COMMANDS = set(typer.main.get_command(app).commands)
COMMANDS_PAGE = REPOSITORY / "docs" / "reference" / "commands.md"
BENCHMARKS = {path.stem for path in (REPOSITORY / "benchmarks").glob("*.py")}
REFERENCES = {
    "target of make": (r"\bmake ([a-z][\w-]*)", TARGETS),
    "command": (r"(?:^|python -m |\s)blocklda ([a-z][\w-]*)", COMMANDS),
    "benchmark": (r"\bbenchmarks\.(\w+)", BENCHMARKS),
}


def broken_links(page: Page) -> list[str]:
    broken = []
    for link in page.links():
        path, _, anchor = link.partition("#")
        target = page.path.parent / path if path else page.path
        if made_by_the_build(page, target):
            continue
        if not target.exists() or (anchor and anchor not in Page(target).anchors()):
            broken.append(link)
    return broken


def made_by_the_build(page: Page, target: Path) -> bool:
    """Tell if a file is generated, or is a figure that the page's own code saves."""
    if target.resolve() == COMMANDS_PAGE:
        return True
    code = "".join(block.code for block in page.blocks("python"))
    return target.parent.name == "figures" and f'"{target.name}"' in code


def missing(page: Page, what: str) -> set[str]:
    pattern, known = REFERENCES[what]
    return {name for text in page.commands() for name in re.findall(pattern, text)} - known


@each_page
def test_links_lead_somewhere(page):
    assert broken_links(page) == []


@each_page
@pytest.mark.parametrize("what", REFERENCES)
def test_what_is_named_exists(page, what):
    assert missing(page, what) == set()


@each_page
def test_files_and_what_they_define_exist(page):
    assert [name for reference in references(page) for name in reference.missing()] == []


def test_there_is_something_to_name():
    assert {"demo", "test", "bench"} <= TARGETS
    assert "demo" in COMMANDS
    assert "peers" in BENCHMARKS
    assert sum(len(page.links()) for page in PAGES) > 5


def test_what_is_not_there_is_found(tmp_path: Path):
    (tmp_path / "other.md").write_text("# One `thing`, and another\n")
    page = Page(tmp_path / "page.md")
    page.path.write_text(
        "# Here\n\n[a](other.md) [b](other.md#one-thing-and-another) [c](#here) "
        "[d](https://example.org/x) `[e](nowhere.md)`\n"
        "[f](gone.md) ![g](gone.svg) [h](other.md#two) [i](#there)\n\n"
        "Run `make demo`, `make tea`, `blocklda demo --seed 1`, `blocklda brew`, "
        "`python -m benchmarks.peers`; that will make sense.\n\n"
        "```\nmake coffee  # or so\npython -m benchmarks.nothing\n```\n"
        "```python\nmake = 'make love'\n```\n"
    )
    assert broken_links(page) == ["gone.md", "gone.svg", "other.md#two", "#there"]
    assert missing(page, "target of make") == {"tea", "coffee"}
    assert missing(page, "command") == {"brew"}
    assert missing(page, "benchmark") == {"nothing"}


def test_code_that_is_not_there_is_found(tmp_path: Path):
    page = Page(tmp_path / "page.md")
    page.path.write_text(
        "`run/engine.py: advance`, `src/blocklda/run/chain.py: BaseChain.sweep, TOKENS_PER_CALL`, "
        "`native/kernels.def: nested`, `tests/docs/`, `lda.save(path)`, `a/<name>.py`\n"
        "`run/motor.py`, `tests/gone/`, `run/engine.py: halt, Observer.stare`, "
        "`native/kernels.def: knotted`\n"
    )
    assert [name for reference in references(page) for name in reference.missing()] == [
        "run/motor.py",
        "tests/gone/",
        "run/engine.py: halt",
        "run/engine.py: Observer.stare",
        "native/kernels.def: knotted",
    ]
