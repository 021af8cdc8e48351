"""What the library says, in the words of the command line: ``n_topics=0`` becomes ``--topics 0``.

The parameters of a command have the names that the library's have, and a message knows which
parameters it mentions: the command itself knows the option of each.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from blocklda.cli.terminal.echo import echo
from blocklda.cli.terminal.lazy_commands import LazyCommands
from blocklda.cli.terminal.plain_help import PlainHelp
from blocklda.support.errors import BlockldaWarning
from blocklda.support.messages import Mention, Message

__all__ = ["SpeaksInOptions", "in_options", "worded"]

COMMANDS = {"unstable_topics": "blocklda topics"}
"""Commands that show what an attribute in Python holds."""

SAME_OPTION = {"n_components": "n_topics"}
"""Parameters of one model that have the option of another model's."""

_options: ContextVar[Callable[[], Mapping[str, Any]]] = ContextVar("options")
"""Gives the options of the command that runs."""


def in_options(message: Message) -> str:
    """Return what the library says, such as a verdict, in the options of the command that runs."""
    options = _options.get(None)
    return str(message) if options is None else worded(message, options())


def worded(message: Message, options: Mapping[str, Any]) -> str:
    """Return a message with the options that stand for the parameters it mentions."""

    def word(mention: Mention) -> str:
        parameter = mention.parameter
        option = options.get(parameter) or options.get(SAME_OPTION.get(parameter, parameter))
        if option is None:
            return COMMANDS.get(mention.parameter, str(mention))
        return _option(option, mention.shown or "")

    return message.worded(word)


def _option(option: Any, value: str) -> str:
    """Return an option with a value, as one would type it."""
    if value in ("True", "False") and option.secondary_opts:
        return _longest(option.opts if value == "True" else option.secondary_opts)
    if value == "True" and option.is_flag:
        return _longest(option.opts)
    return f"{_longest(option.opts)} {value}".rstrip()


def _longest(names: list[str]) -> str:
    return max(names, key=len)


class SpeaksInOptions(PlainHelp, LazyCommands):
    """A group of commands whose errors and warnings name options; a warning takes one line."""

    def options_of(self, name: str | None) -> dict[str, Any]:
        """Return options by the names of their parameters: a command's own, then other commands'.

        A verdict that advises another fit names the options of ``fit`` in every command.
        """
        commands = self.commands
        own = [commands[name]] if name in commands else []
        return {
            option.name: option
            for command in [*commands.values(), *own]
            for option in command.params
            if option.name and option.param_type_name == "option"
        }

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        token = _options.set(lambda: self.options_of(ctx.invoked_subcommand))
        try:
            with _one_line_warnings():
                return super().invoke(ctx)
        finally:
            _options.reset(token)


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Show the warnings meant for users as one line each, every time."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        said = message.message if isinstance(message, BlockldaWarning) else Message(str(message))
        echo(f"blocklda: warning: {' '.join(in_options(said).split())}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
