"""What the site shows of the code: roles of Sphinx become code, names of defaults their values."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|exc|data|obj):`(~?)([\w.]+)`")
_CONSTANT = re.compile(r"(?:\w+\.)*_?[A-Z][A-Z0-9_]+")


class DocstringText(griffe.Extension):
    """Makes docstrings and signatures readable in Markdown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Replace roles such as ``:func:`~blocklda.read_corpus```, which Markdown does not know."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(_as_code, obj.docstring.value)

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Show the values of defaults that have a name in the code."""
        for parameter in func.parameters:
            name = str(parameter.default)
            if _CONSTANT.fullmatch(name):
                parameter.default = repr(_value(func.module.path, name))


def _as_code(role: re.Match[str]) -> str:
    name = role[2]
    return f"`{name.rpartition('.')[2] if role[1] else name}`"


def _value(module: str, name: str) -> Any:
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found
