"""The site has every public name, every command and every page; `make docs` builds it."""

from __future__ import annotations

import re
from importlib import import_module
from types import ModuleType

import pytest
import typer

from blocklda.cli import app
from docs.tools.command_pages import commands_page
from docs.tools.equations import with_mathml
from tests.docs.pages import PAGES, REPOSITORY

API = "".join(
    page.text for page in PAGES if page.path.parent == REPOSITORY / "docs" / "reference" / "api"
)
DOCUMENTED = set(re.findall(r"^::: ([\w.]+)$", API, re.M))
PUBLIC_MODULES = (
    "blocklda",
    "blocklda.compat.lda",
    "blocklda.diagnostics",
    "blocklda.evaluate",
    "blocklda.formats",
    "blocklda.parallel",
    "blocklda.plots",
    "blocklda.report",
    "blocklda.simulate",
)
COMMANDS = typer.main.get_command(app).commands


def public_names(module: str) -> set[str]:
    """Return the names a module exports, those of modules and of the version left out."""
    found = import_module(module)
    names = {name for name in found.__all__ if not isinstance(getattr(found, name), ModuleType)}
    return {f"{module}.{name}" for name in names - {"__version__"}}


def documented_elsewhere(name: str) -> bool:
    """Tell if the same object has its entry under a shorter name."""
    short = name.rpartition(".")[2]
    return f"blocklda.{short}" in DOCUMENTED


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_every_public_name_is_in_the_reference(module):
    missing = public_names(module) - DOCUMENTED
    assert [name for name in sorted(missing) if not documented_elsewhere(name)] == []


def test_the_reference_names_what_exists():
    for path in sorted(DOCUMENTED):
        module, _, name = path.rpartition(".")
        assert hasattr(import_module(module), name), path


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_is_in_the_reference(name):
    page = commands_page()
    start = page.index(f"## blocklda {name}\n")
    section = page[start : page.find("\n## ", start + 1)]
    options = [option for parameter in COMMANDS[name].params for option in parameter.opts]
    assert [option for option in options if option[0] == "-" and option not in section] == []
    assert "Examples" in section


def test_every_page_is_in_the_navigation():
    navigation = (REPOSITORY / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    listed = set(re.findall(r"([\w/.-]+\.md)$", navigation, re.M))
    pages = {page.name.removeprefix("docs/") for page in PAGES if page.name.startswith("docs/")}
    assert listed == pages | {"reference/commands.md"}


def test_the_site_fetches_nothing():
    settings = (REPOSITORY / "mkdocs.yml").read_text("utf-8")
    assert "\n  font: false\n" in settings
    assert re.findall(r"https?://\S+", settings) == ["https://github.com/blocklda/blocklda"]


def test_equations_become_mathml():
    page = with_mathml("Let $x_1$ be `$HOME`:\n\n$$\\frac{a}{b}$$\n\n```sh\necho $A $B\n```\n")
    assert page.count("<math") == 2
    assert "<mfrac>" in page
    assert "`$HOME`" in page
    assert "echo $A $B" in page
