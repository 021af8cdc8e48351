"""The errors that blocklda raises and the warnings it gives: one sentence each, facts as fields."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from blocklda.support.messages import Allowed, Given, Message, Part, Remedy

__all__ = [
    "BlockldaError",
    "BlockldaWarning",
    "CapacityError",
    "CheckpointWarning",
    "ClusterError",
    "ConvergenceWarning",
    "DataWarning",
    "DrawOrderWarning",
    "FileFormatError",
    "InputError",
    "InputTypeError",
    "InterruptedFitWarning",
    "KernelError",
    "OtherModelError",
    "not_allowed",
    "said_by",
    "unknown_choice",
]


class Spoken(Exception):  # noqa: N818  # errors and warnings both are
    """A message to the user, with its facts as fields.

    It is made of the parts of a :class:`~blocklda.support.messages.Message`. ``parameter`` and
    ``value`` say what it is about where no part is the parameter with the value given.
    """

    def __init__(self, *parts: Part, parameter: str | None = None, value: Any = None) -> None:
        super().__init__(Message(*parts))
        # How the value looks is not needed here, and of a million texts it takes a while.
        name = type(value).__name__
        self._about = None if parameter is None else Given(parameter, value, shown=name)

    @classmethod
    def of(cls, template: str) -> Self:
        """Return the error or warning of a template; :meth:`where` gives its values."""
        return cls(Message.of(template))

    def where(self, *, parameter: str | None = None, value: Any = None, **values: Any) -> Self:
        """Return it with values in its template; ``parameter`` and ``value``: what it is about."""
        return type(self)(self.message.where(**values), parameter=parameter, value=value)

    @property
    def message(self) -> Message:
        """The sentence, which other interfaces can have worded with their own names."""
        message: Message = self.args[0]
        return message

    @property
    def parameter(self) -> str | None:
        """The parameter that was given something wrong, None if it is about something else."""
        about = self._given()
        return None if about is None else about.parameter

    @property
    def value(self) -> Any:
        """What that parameter was given."""
        about = self._given()
        return None if about is None else about.value

    @property
    def allowed(self) -> tuple[Any, ...] | str | None:
        """What would be accepted: all choices, or words that describe it."""
        passage = self.message.passage(Allowed)
        if passage is None:
            return None
        return str(passage) if passage.choices is None else passage.choices

    @property
    def remedy(self) -> str | None:
        """What the user can do."""
        passage = self.message.passage(Remedy)
        return None if passage is None else str(passage)

    def _given(self) -> Given | None:
        if self._about is not None:
            return self._about
        return next((one for one in self.message.mentions() if isinstance(one, Given)), None)


class BlockldaError(Spoken):
    """Base class of every error that blocklda raises itself."""


class InputError(BlockldaError, ValueError):
    """A parameter or a data set that cannot be used; the message says what to do."""


class InputTypeError(InputError, TypeError):
    """Data of a kind that cannot be used, where Python's own error would be a TypeError."""


class OtherModelError(InputError):
    """A file of the right kind whose model has a different size."""


class FileFormatError(InputError):
    """A file that is not what it should be; the message names the file and the line."""


class CapacityError(BlockldaError, MemoryError):
    """A task larger than this machine, or than the counters, can hold."""

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make an instance as of other errors: Dask's copies are made without calling the class."""
        return Exception.__new__(cls)


class ClusterError(BlockldaError, RuntimeError):
    """The machines that a fit runs on were lost; the message says how to continue."""


class KernelError(BlockldaError, RuntimeError):
    """A sampler reached a state that its mathematics excludes; nothing was drawn from it."""


class BlockldaWarning(Spoken, UserWarning):
    """Base class of every warning that blocklda gives itself."""


class DataWarning(BlockldaWarning):
    """Documents or words that may not be what the user expects."""


class ConvergenceWarning(BlockldaWarning):
    """A fit that is not reliable yet, for example because predictions still change."""


class InterruptedFitWarning(ConvergenceWarning):
    """A fit that Ctrl-C ended early."""


class CheckpointWarning(BlockldaWarning):
    """A checkpoint that could not be written or read; the fit continues without it."""


class DrawOrderWarning(BlockldaWarning):
    """A chain that continues with other draws than in the version that started it."""


def not_allowed(
    parameter: str, value: Any, what_is: str, choices: Iterable[Any] | None = None
) -> InputError:
    """Return the usual error of a parameter: what was given, and what to give instead."""
    given, allowed = Given(parameter, value), Allowed(what_is, choices)
    return InputError.of("{given} is not allowed: [give {allowed}].").where(
        given=given, allowed=allowed
    )


def unknown_choice(parameter: str, value: Any, choices: Iterable[str]) -> InputError:
    """Return the usual error of a parameter that has one of a few names."""
    names = tuple(choices)
    given, allowed = Given(parameter, value), Allowed(", ".join(map(repr, names)), names)
    return InputError.of("{given} is unknown: [choose one of {allowed}].").where(
        given=given, allowed=allowed
    )


def said_by(error: BaseException) -> Message:
    """Return what any error says, with the parameters it mentions if it is one of ours."""
    return error.message if isinstance(error, Spoken) else Message(str(error))
