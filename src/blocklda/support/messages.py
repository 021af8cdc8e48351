"""Sentences that know which parameters they mention, so that each interface can name its own.

A message is a string. Python reads it as it is; the command line asks it for the same sentence with
its options in place of the parameters. Nobody has to search the text for them.
"""

from __future__ import annotations

import copy
import os
import pickle
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, Self, TypeVar

from blocklda.support.templates import Field, Marked, Node, parsed

__all__ = [
    "Allowed",
    "Given",
    "Mention",
    "Message",
    "Part",
    "Passage",
    "Pointer",
    "Remedy",
    "Setting",
]

SHOWN = 80
"""Characters of a value that a message shows; a list of a million numbers is of no use."""

MOST_SENT = 2**16
"""Bytes of a value that go to other processes with an error; its message says the rest."""


class Mention:
    """A parameter in a message.

    ``shown`` is a value as Python writes it, "" in ``format=``, and None in the name alone.
    """

    def __init__(self, parameter: str, shown: str | None, value: Any = None) -> None:
        self.parameter = parameter
        self.shown = shown
        self.value = value

    def __str__(self) -> str:
        return self.parameter if self.shown is None else f"{self.parameter}={self.shown}"

    def __getstate__(self) -> dict[str, Any]:
        """Return what other processes get: how a value is shown, if it cannot be sent."""
        return {**self.__dict__, "value": self.value if _can_be_sent(self.value) else self.shown}

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the mention under another name, if its own has one."""
        renamed = copy.copy(self)
        renamed.parameter = names.get(self.parameter, self.parameter)
        return renamed


class Given(Mention):
    """A parameter with the value that the user gave: ``n_topics=0``."""

    def __init__(self, parameter: str, value: Any, *, shown: str | None = None) -> None:
        super().__init__(parameter, _shown(value) if shown is None else shown, value)


class Setting(Mention):
    """A parameter with a value that it has or could have, ``keep_draws=True``; or ``format=``."""

    def __init__(self, parameter: str, value: Any = None, *, shown: str | None = None) -> None:
        if shown is None:
            shown = "" if value is None else _shown(value)
        super().__init__(parameter, shown, value)


class Passage:
    """A part of a message that has a role in it."""

    def __init__(self, text: str) -> None:
        self.message = Message(text)

    def __str__(self) -> str:
        return str(self.message)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the passage with other names for some parameters."""
        renamed = copy.copy(self)
        renamed.message = self.message.renamed(names)
        return renamed


class Allowed(Passage):
    """What would have been accepted, with all choices where they can be listed."""

    def __init__(self, text: str, choices: Iterable[Any] | None = None) -> None:
        super().__init__(text)
        self.choices = None if choices is None else tuple(choices)


class Remedy(Passage):
    """What the user can do."""


class Pointer(Passage):
    """Where more can be found, which a reader who sees it already can do without."""


Part = str | Mention | Passage
_P = TypeVar("_P", bound=Passage)


class Message(str):
    """A sentence made of plain text, mentions of parameters, and passages that have a role."""

    __slots__ = ("parts", "template")
    parts: tuple[Part, ...]
    template: str

    def __new__(cls, *parts: Part, template: str | None = None) -> Self:
        """Join parts to a sentence; a message among them contributes its own."""
        if template is None and len(parts) == 1 and isinstance(parts[0], cls):
            return parts[0]  # with the template that it has
        flat = tuple(_flat(parts))
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = flat
        message.template = "" if template is None else template
        return message

    @classmethod
    def of(cls, template: str) -> Self:
        """Return the message of a template, in the notation of :mod:`blocklda.support.templates`.

        ``{name}`` and ``{name=}`` are a parameter, ``{name=True}`` is one with a value it could
        have; :meth:`where` gives values to others.
        """
        return cls._of(template, {})

    def where(self, **values: Any) -> Self:
        """Return the message with values, which are never parsed, in the fields of its template.

        ``{name=}`` is then a parameter with the value that was given, and ``{name}`` the text of a
        value, unless the template has ``{name=}`` as well. Parts of messages stay what they are.
        """
        return self._of(self.template, values)

    @classmethod
    def _of(cls, template: str, values: Mapping[str, Any]) -> Self:
        content = parsed(template)
        parts = _filled(content.nodes, content.parameters, values)
        return cls(*parts, template=template)

    def __reduce__(self) -> tuple[type[Message], tuple[Part, ...]]:
        return Message, self.parts

    @staticmethod
    def joined(separator: str, messages: Iterable[Part]) -> Message:
        """Return messages as one, with a separator between them."""
        parts: list[Part] = []
        for message in messages:
            parts += [separator, message] if parts else [message]
        return Message(*parts)

    def worded(self, word: Callable[[Mention], str]) -> str:
        """Return the sentence with every mention of a parameter as ``word`` writes it."""
        texts = []
        for part in self.parts:
            match part:
                case Mention():
                    texts.append(word(part))
                case Passage():
                    texts.append(part.message.worded(word))
                case _:
                    texts.append(part)
        return "".join(texts)

    def renamed(self, names: Mapping[str, str]) -> Message:
        """Return the message with other names for some of its parameters."""
        return Message(
            *(part if isinstance(part, str) else part.renamed(names) for part in self.parts)
        )

    def without(self, kind: type[Passage]) -> Message:
        """Return the message without the passages of a kind."""
        return Message(*(part for part in self.parts if not isinstance(part, kind)))

    def clause(self) -> Message:
        """Return the sentence without its full stop, so that it can be part of another."""
        if not self.parts or not isinstance(self.parts[-1], str):
            return self
        return Message(*self.parts[:-1], self.parts[-1].rstrip("."))

    def mentions(self) -> Iterator[Mention]:
        """Give the mentions of parameters, in order."""
        for part in self.parts:
            if isinstance(part, Mention):
                yield part
            elif isinstance(part, Passage):
                yield from part.message.mentions()

    def passage(self, kind: type[_P]) -> _P | None:
        """Return the first passage of a kind, None if there is none."""
        for part in self.parts:
            if isinstance(part, Passage):
                found = part if isinstance(part, kind) else part.message.passage(kind)
                if found is not None:
                    return found
        return None


def _filled(
    nodes: Iterable[Node], parameters: Set[str], values: Mapping[str, Any]
) -> Iterator[Part]:
    for node in nodes:
        match node:
            case Field():
                yield _part(node, parameters, values)
            case Marked():
                passage = Remedy if node.mark == "[" else Allowed
                yield passage(Message(*_filled(node.nodes, parameters, values)))
            case _:
                yield node


def _part(field: Field, parameters: Set[str], values: Mapping[str, Any]) -> Part:
    if field.literal:
        return Setting(field.name, literal_eval(field.literal), shown=field.literal)
    is_known = field.keyword in values
    if field.has_equals:
        if not is_known:
            return Setting(field.name)
        value = values[field.name]
        return Given(field.name, value, shown=field.formatted(value) if field.has_format else None)
    if field.name in parameters or not is_known:
        return Mention(field.name, None)
    value = field.value_among(values)
    return value if isinstance(value, Mention | Passage | Message) else field.formatted(value)


def _flat(parts: Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Message):
            yield from part.parts
        elif part != "":
            yield part


def _shown(value: Any) -> str:
    """Return a value as Python writes it; the name of a file is shown whole, as a string."""
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    return f"{value!r:.{SHOWN}}"


def _can_be_sent(value: Any) -> bool:
    try:
        return len(pickle.dumps(value)) <= MOST_SENT
    except Exception:  # whatever a value's own code may raise
        return False
