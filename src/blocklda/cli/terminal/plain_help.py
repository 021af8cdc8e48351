"""Help in which flags, such as ``--json``, do not look as if they took a value."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

__all__ = ["PlainCommand", "PlainHelp"]


class PlainHelp:
    """What a command and a group of commands have in common."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters; nothing stands for the value of a flag, which has none."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False) and parameter.metavar is None:
                parameter.metavar = ""
        return parameters


class PlainCommand(PlainHelp, TyperCommand):
    """A command with such help."""
