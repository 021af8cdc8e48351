"""Commands that are imported when they run, so that ``--help`` and ``--version`` do not wait."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from blocklda.cli.terminal.plain_help import PlainCommand

__all__ = ["LazyCommands"]

PACKAGE = "blocklda.cli.commands"


class LazyCommands(TyperGroup):
    """A group whose commands lie in files of their names, each with ``EXAMPLES`` and ``*_command``.

    ``summaries`` says in one line what each command does; subclasses fill it.
    """

    summaries: ClassVar[Mapping[str, str]] = {}
    _is_listing = False

    @property  # type: ignore[override]
    def commands(self) -> dict[str, Any]:
        """All commands, imported."""
        return {name: _command(name) for name in self.summaries}

    @commands.setter
    def commands(self, _: Any) -> None:
        """Take no others: Click sets an empty table."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order in which help shows them."""
        return list(self.summaries)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or in a list of commands what it does."""
        if cmd_name not in self.summaries:
            return None
        if self._is_listing:
            return PlainCommand(cmd_name, help=self.summaries[cmd_name])
        return _command(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the group."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._is_listing = False


@cache
def _command(name: str) -> Any:
    identifier = name.replace("-", "_")
    module = import_module(f"{PACKAGE}.{identifier}")
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    function = getattr(module, f"{identifier}_command")
    alone.command(name, cls=PlainCommand, epilog=module.EXAMPLES)(function)
    return typer.main.get_command(alone)
