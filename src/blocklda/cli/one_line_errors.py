"""How the command line ends: exit code 0, 2 for what the user can mend, 1 for what we must."""

from __future__ import annotations

from typing import Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from blocklda.errors import BlockldaError, KernelError

__all__ = ["OneLineErrors"]

_INTERRUPTED = 130
"""What shells expect of a program ended by Ctrl-C."""

# What Typer raises for wrong arguments is Click's; some versions of Typer carry Click within.
_UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


class OneLineErrors(TyperGroup):
    """The group of all commands; their errors become one line on stderr and an exit code.

    An error that blocklda does not raise on purpose passes through: Python shows where it happened
    and exits with 1.
    """

    def main(self, *args: Any, **settings: Any) -> NoReturn:
        """Run a command and exit."""
        settings["standalone_mode"] = False  # Typer then leaves the reporting of errors to us.
        try:
            code = super().main(*args, **settings)
        except _UsageError as error:
            _fail(error.format_message(), 2)
        except KernelError as error:
            _fail(str(error), 1)
        except BlockldaError as error:
            _fail(str(error), 2)
        except typer.Abort:
            code = _INTERRUPTED
        raise SystemExit(code or 0)


def _fail(message: str, code: int) -> NoReturn:
    typer.echo(f"blocklda: {' '.join(message.split())}", err=True)
    raise SystemExit(code)
