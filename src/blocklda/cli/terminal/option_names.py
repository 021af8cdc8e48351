"""What the library says, in the words of the command line: ``n_topics=0`` becomes ``--topics 0``.

The parameters of a command have the names that the library's have, so that its messages can be
translated: the command itself knows the option of each of its parameters.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import typer
from typer.core import TyperGroup

from blocklda.cli.terminal.plain_help import PlainHelp
from blocklda.support.errors import BlockldaError

__all__ = ["SpeaksInOptions", "in_options", "translated"]

_VALUE = r"'[^']*'|\"[^\"]*\"|\([^)]*\)|\[[^\]]*\]|[^\s,;:)…]*[^\s,;:).…]|"
"""A value as Python shows it, or nothing, as in "name it with format=, one of"."""

_BEFORE, _NO_PATH = r"(?<![\w./'\"-])", r"(?![^\s'\"(\[]*/)"
"""Names of files hold such things too, runs/seed=1/model: they are not touched."""

_translate: ContextVar[Callable[[str], str]] = ContextVar("translate")
"""Translates for the command that runs."""


def in_options(message: str) -> str:
    """Return what the library says, a verdict, say, in the options of the command that runs."""
    translate = _translate.get(None)
    return message if translate is None else translate(message)


def translated(message: str, options: Mapping[str, Any]) -> str:
    """Return a message with the options that stand for the parameters it names.

    Where a value follows, a parameter may have any name. By itself it is taken for one only if its
    name is no word of English.
    """
    for name, option in options.items():
        message = re.sub(
            rf"{_BEFORE}{name}={_NO_PATH}({_VALUE})",
            lambda found, option=option: _given(option, found[1]),  # type: ignore[misc]
            message,
        )
        if "_" in name:
            message = re.sub(rf"{_BEFORE}{name}(?![\w=/])", _longest(option.opts), message)
    return message


def _given(option: Any, value: str) -> str:
    """Return an option with a value, as one would type it."""
    if value in ("True", "False") and option.secondary_opts:
        return _longest(option.opts if value == "True" else option.secondary_opts)
    if value == "True" and option.is_flag:
        return _longest(option.opts)
    return f"{_longest(option.opts)} {value}".rstrip()


def _longest(names: list[str]) -> str:
    return max(names, key=len)


class SpeaksInOptions(PlainHelp, TyperGroup):
    """A group of commands whose errors and warnings name options; a warning takes one line."""

    def options_of(self, name: str | None) -> dict[str, Any]:
        """Return options by the names of their parameters: a command's own, then other commands'.

        A verdict that advises another fit names the options of ``fit``, whoever prints it.
        """
        own = [self.commands[name]] if name is not None and name in self.commands else []
        return {
            option.name: option
            for command in [*self.commands.values(), *own]
            for option in command.params
            if option.name and option.param_type_name == "option"
        }

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""

        def translate(message: str) -> str:
            return translated(message, self.options_of(ctx.invoked_subcommand))

        token = _translate.set(translate)
        try:
            with _one_line_warnings(translate):
                return super().invoke(ctx)
        except BlockldaError as error:
            error.args = (translate(str(error)),)
            raise
        finally:
            _translate.reset(token)


@contextmanager
def _one_line_warnings(translate: Callable[[str], str]) -> Iterator[None]:
    """Show the warnings meant for users as one line each, every time."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = translate(" ".join(str(message).split()))
        typer.echo(f"blocklda: warning: {text}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
