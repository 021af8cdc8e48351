"""The notation in which messages are written: a sentence with marks, parsed once.

``{n_topics=}`` and ``{keep_draws=True}`` mention parameters, ``[...]`` is what the user can do, and
``<...>`` what would be accepted. A mark that is written twice is that character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

__all__ = ["Field", "Marked", "Node", "Template", "parsed"]

CLOSING = {"[": "]", "<": ">"}
"""The marks of passages that have a role."""

_TOKENS = re.compile(r"\{\{|}}|\[\[|]]|<<|>>|\{[^{}]*}|[][<>{}]|[^][<>{}]+")
_FIELD = re.compile(r"([^\W\d][\w.]*)(?:(=)([^!:]*))?(?:!([rs]))?(?::(.+))?")


@dataclass(frozen=True)
class Field:
    """What stands in braces: ``{name}``, ``{corpus.n_docs:,}``, ``{name=}`` or ``{name=True}``."""

    name: str
    has_equals: bool
    literal: str
    conversion: str
    spec: str

    @property
    def keyword(self) -> str:
        """The keyword that gives the value: ``corpus`` in ``{corpus.n_docs}``."""
        return self.name.partition(".")[0]

    @property
    def has_format(self) -> bool:
        """True if the value is not shown as usual, as in ``{name!r:.80}``."""
        return self.conversion != "" or self.spec != ""

    def value_among(self, values: Mapping[str, Any]) -> Any:
        """Return the value that it stands for."""
        return attrgetter(self.name)(SimpleNamespace(**values))

    def formatted(self, value: Any) -> str:
        """Return a value as text, as an f-string would write it."""
        if self.conversion:
            value = repr(value) if self.conversion == "r" else str(value)
        return format(value, self.spec)


@dataclass(frozen=True)
class Marked:
    """A passage between two marks, of which ``mark`` is the first."""

    mark: str
    nodes: tuple[Node, ...]


Node = str | Field | Marked


@dataclass(frozen=True)
class Template:
    """A sentence with fields to fill in."""

    nodes: tuple[Node, ...]
    fields: tuple[Field, ...]

    @property
    def parameters(self) -> frozenset[str]:
        """The names that have an equals sign somewhere, and so are parameters everywhere."""
        return frozenset(field.name for field in self.fields if field.has_equals)


@cache
def parsed(text: str) -> Template:
    """Return what a template consists of; ValueError if its marks do not match."""
    nodes = tuple(_until(None, iter(_TOKENS.findall(text))))
    return Template(nodes, tuple(_fields(nodes)))


def _until(end: str | None, tokens: Iterator[str]) -> Iterator[Node]:
    for token in tokens:
        if token == end:
            return
        if token in CLOSING:
            yield Marked(token, tuple(_until(CLOSING[token], tokens)))
        elif token[0] == "{" and token[-1] == "}":
            yield _field(token[1:-1])
        elif token in ("{", "}", "]", ">"):
            raise ValueError(f"{token!r} in a template has no counterpart")
        else:
            yield token[0] if token in ("{{", "}}", "[[", "]]", "<<", ">>") else token
    if end is not None:
        raise ValueError(f"{end!r} is missing in a template")


def _field(text: str) -> Field:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(f"{{{text}}} in a template is no field")
    name, equals, literal, conversion, spec = (group or "" for group in match.groups())
    if equals and spec:
        conversion = conversion or "r"  # as in f-strings
    return Field(name, equals == "=", literal, conversion, spec)


def _fields(nodes: tuple[Node, ...]) -> Iterator[Field]:
    for node in nodes:
        if isinstance(node, Field):
            yield node
        elif isinstance(node, Marked):
            yield from _fields(node.nodes)
