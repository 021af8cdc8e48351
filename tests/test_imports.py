"""The flow is one way: no modules import each other in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import blocklda

PACKAGE = Path(blocklda.__file__).parent


def name_of(path: Path) -> str:
    parts = ["blocklda", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported(path: Path) -> Iterator[str]:
    """Names that are imported when the module is; those for type checkers or later are not."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            yield statement.module
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def needed(name: str) -> set[str]:
    """The modules, and the packages around them, that must be there before this one."""
    found = set()
    for other in imported(MODULES[name]):
        parts = other.split(".")
        found |= {".".join(parts[:n]) for n in range(2, len(parts) + 1)}
    around = {name.rsplit(".", n)[0] for n in range(1, name.count(".") + 1)}
    return (found & set(MODULES)) - around - {name}


def test_no_circles():
    TopologicalSorter({name: needed(name) for name in MODULES}).prepare()


def test_the_library_does_not_need_the_command_line():
    """Only the command line itself imports it, or the packages that it prints with."""
    outside = [name for name in MODULES if not name.startswith(("blocklda.cli", "blocklda.__main"))]
    above = ("blocklda.cli", "typer", "rich")
    found = {name: [o for o in imported(MODULES[name]) if o.startswith(above)] for name in outside}
    assert not {name: others for name, others in found.items() if others}
