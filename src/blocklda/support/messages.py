"""Sentences that know which parameters they mention, so that each interface can name its own.

A message is a string. Python reads it as it is; the command line asks it for the same sentence with
its options in place of the parameters. Nobody has to search the text for them.
"""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self, TypeVar

__all__ = [
    "Allowed",
    "Given",
    "Mention",
    "Message",
    "Named",
    "Part",
    "Passage",
    "Pointer",
    "Remedy",
    "Setting",
]

SHOWN = 80
"""Characters of a value that a message shows; a list of a million numbers helps nobody."""

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

    def __init__(
        self, parameter: str, value: Any, *, width: int = SHOWN, shown: str | None = None
    ) -> None:
        super().__init__(parameter, _shown(value, width) if shown is None else shown, value)


class Setting(Mention):
    """A parameter with a value that it has or could have, ``keep_draws=True``; or ``format=``."""

    def __init__(self, parameter: str, value: Any = None, *, shown: str | None = None) -> None:
        if shown is None:
            shown = "" if value is None else _shown(value, SHOWN)
        super().__init__(parameter, shown, value)


class Named(Mention):
    """A parameter by its name alone: ``burn_in``."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter, None)


class Passage:
    """A part of a message that has a role in it."""

    def __init__(self, *parts: Part) -> None:
        self.message = Message(*parts)

    def __str__(self) -> str:
        return str(self.message)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the passage with other names for some parameters."""
        renamed = copy.copy(self)
        renamed.message = self.message.renamed(names)
        return renamed


class Allowed(Passage):
    """What would have been accepted, with all choices where they can be listed."""

    def __init__(self, *parts: Part, choices: Iterable[Any] | None = None) -> None:
        super().__init__(*parts)
        self.choices = None if choices is None else tuple(choices)


class Remedy(Passage):
    """What the user can do."""


class Pointer(Passage):
    """Where more can be found, which a reader who sees it already can do without."""


Part = str | Mention | Passage
_P = TypeVar("_P", bound=Passage)


class Message(str):
    """A sentence made of plain text, mentions of parameters, and passages that have a role."""

    __slots__ = ("parts",)
    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Self:
        """Join parts to a sentence; a message among them contributes its own."""
        flat = tuple(_flat(parts))
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = flat
        return message

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


def _flat(parts: Iterable[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Message):
            yield from part.parts
        elif part != "":
            yield part


def _shown(value: Any, width: int) -> str:
    """Return a value as Python writes it; the name of a file is shown whole, as a string."""
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    return f"{value!r:.{width}}"


def _can_be_sent(value: Any) -> bool:
    try:
        return len(pickle.dumps(value)) <= MOST_SENT
    except Exception:  # whatever a value's own code may raise
        return False
