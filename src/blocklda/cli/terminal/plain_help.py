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
            if parameter.param_type_name == "argument" and parameter.nargs == -1:
                # Some versions of Typer write the annotation, list[Path], there.
                parameter.display_type = _as_paths
        return parameters


def _as_paths(_: Any) -> str:
    """Return what stands for the type of arguments that may be several."""
    return "<paths>"


class PlainCommand(PlainHelp, TyperCommand):
    """A command with such help."""
