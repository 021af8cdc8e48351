"""Docstrings for the site: Sphinx's roles become code, names of pages become links."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|exc|data|obj):`(~?)([\w.]+)`")


class RoleText(griffe.Extension):
    """Replaces roles such as ``:func:`~blocklda.read_corpus```, which Markdown does not know."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object after it has been read."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(_as_code, obj.docstring.value)


def _as_code(role: re.Match[str]) -> str:
    name = role[2]
    return f"`{name.rpartition('.')[2] if role[1] else name}`"
