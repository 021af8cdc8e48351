"""How the command line ends: exit code 0, 2 for errors of users, 1 for errors of ours."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import Any, NoReturn, cast

import typer

from blocklda.cli.terminal.echo import echo
from blocklda.cli.terminal.option_names import SpeaksInOptions, worded
from blocklda.cli.terminal.usage_errors import said_of
from blocklda.support.errors import BlockldaError, KernelError

__all__ = ["INTERRUPTED", "OneLineErrors"]

INTERRUPTED = 130
"""What shells expect of a program ended by Ctrl-C."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What the system says when a stream takes no more. Files of ours have their own errors."""

# What Typer raises for wrong arguments is Click's; some versions of Typer carry Click within.
_UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


class OneLineErrors(SpeaksInOptions):
    """The group of all commands; their errors become one line on stderr and an exit code.

    An error that blocklda does not raise on purpose passes through: Python shows where it happened
    and exits with 1.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and end with the sentence of an error in the options of that command."""
        try:
            return super().invoke(ctx)
        except BlockldaError as error:
            said = worded(error.message, self.options_of(ctx.invoked_subcommand))
            _fail(said, 1 if isinstance(error, KernelError) else 2)

    def main(self, *args: Any, **settings: Any) -> NoReturn:
        """Run a command and exit."""
        settings["standalone_mode"] = False  # Typer then leaves the reporting of errors to us.
        _have_streams()
        _forget_impossible_width()
        try:
            code = super().main(*args, **settings)
            sys.stdout.flush()  # here, and not when Python ends and can only complain
        except _UsageError as error:
            _fail(said_of(error), 2)
        except typer.Abort:
            code = INTERRUPTED
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                # Whoever read the output has seen enough: `blocklda demo | head -1`.
                _let_go_of_stdout()
                raise SystemExit(1) from None
            if error.errno not in _NO_ROOM or error.filename is not None:
                raise
            _let_go_of_stdout()
            _fail(
                f"cannot write the output: {error.strerror}. Free some space, or write elsewhere.",
                2,
            )
        raise SystemExit(code or 0)


def _fail(message: str, code: int) -> NoReturn:
    echo(f"blocklda: {' '.join(message.split())}", err=True)
    raise SystemExit(code)


def _let_go_of_stdout() -> None:
    """Send what is still to be written nowhere, or Python would try again when it ends."""
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _have_streams() -> None:
    """Write nowhere where there is no stream, as after ``>&-`` in a shell."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _forget_impossible_width() -> None:
    """Take COLUMNS=0, which some terminals without a size set, as not said: nothing would fit."""
    if os.environ.get("COLUMNS", "").strip() == "0":
        del os.environ["COLUMNS"]
