"""Tests use what the package offers to others: no private attribute, function or module of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

PUBLIC = {"_native", "_repr_html_", "_replace", "_fields", "_asdict"}
"""The compiled module, what IPython calls, and what named tuples offer."""

OF_THE_PACKAGE_LDA = "the package lda, whose log likelihood ours is compared with"
ALLOWED = {
    "compat/test_lda.py: _lda": OF_THE_PACKAGE_LDA,
    "compat/test_lda.py: _loglikelihood": OF_THE_PACKAGE_LDA,
}
"""Reaches that stay, ``file: name``, each with its reason."""

PRIVATE = re.compile(r"_[a-z]\w*")
PATH_TO_PRIVATE = re.compile(r"blocklda(\.\w+)*\.(?P<name>_[a-z]\w*)(\.\w+)*")
BY_NAME = {"setattr", "getattr", "delattr", "object", "multiple"}
"""Functions that take an attribute by its name."""


def is_private(name: str) -> bool:
    return PRIVATE.fullmatch(name) is not None and name not in PUBLIC


def is_own(node: ast.expr) -> bool:
    """Whether an attribute is one of the object itself."""
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def reaches(tree: ast.AST) -> Iterator[str]:
    """Yield the private names of others that code reaches for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if is_private(node.attr) and not is_own(node.value):
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("blocklda"):
            yield from (alias.name for alias in node.names if is_private(alias.name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = PATH_TO_PRIVATE.fullmatch(node.value)
            if found and is_private(found["name"]):
                yield found["name"]
        elif isinstance(node, ast.Call):
            yield from named_in(node)


def named_in(call: ast.Call) -> Iterator[str]:
    """Yield private names that a call is given as strings or keywords."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in BY_NAME:
        values = (arg.value for arg in call.args if isinstance(arg, ast.Constant))
        yield from (value for value in values if isinstance(value, str) and is_private(value))
        yield from (keyword.arg for keyword in call.keywords if is_private(keyword.arg or ""))


def found_in(path: Path) -> list[str]:
    return list(reaches(ast.parse(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    "code",
    [
        "lda._run.trace()",
        "chain._sweep = 1",
        "from blocklda.data.corpus import _checked",
        "patch.setattr(memory, '_available', 1)",
        "patch('blocklda.models.lda.reference.nested._upward', 1)",
        "patch.multiple(twin, _update=1)",
        "super()._leaves(1)",
    ],
)
def test_a_reach_is_seen(code):
    assert len(list(reaches(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "self._run = 1",
        "from blocklda import _native",
        "blocklda._native.instruction_sets()",
        "page._repr_html_()",
        "point._replace(x=1)",
        "a.__dict__",
        "setattr(x, 'name', '_y z')",
    ],
)
def test_what_is_public_is_no_reach(code):
    assert list(reaches(ast.parse(code))) == []


def test_no_test_reaches_into_the_package():
    found = {
        f"{path.relative_to(TESTS).as_posix()}: {name}"
        for path in sorted(TESTS.rglob("*.py"))
        if path != Path(__file__)
        for name in found_in(path)
    }
    assert found == set(ALLOWED)
